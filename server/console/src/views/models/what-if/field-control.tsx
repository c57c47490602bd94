/** One column of the row: a slider within what was seen in training, a choice, a time, a text. */

import { figure } from "@distillery/engine/charts";
import { useId } from "react";
import { isolated } from "../../../ui/text.tsx";
import type { Cell, Field, NumberField } from "./fields.ts";

interface ControlProps {
  readonly field: Field;
  readonly value: Cell;
  /** What is wrong with it, in the service's words. */
  readonly fault: string | undefined;
  readonly onChange: (value: Cell) => void;
  readonly onFocus: () => void;
}

export function FieldControl({ field, value, fault, onChange, onFocus }: ControlProps) {
  const id = useId();
  const isChanged = value !== field.typical;
  return (
    <div className={isChanged ? "what-if-field changed" : "what-if-field"} onFocusCapture={onFocus}>
      <div className="what-if-name">
        <label htmlFor={id} title={field.column}>
          <bdi>{field.column}</bdi>
        </label>
        {isChanged && (
          <button
            type="button"
            className="back"
            onClick={() => onChange(field.typical)}
            aria-label={`Set ${field.column} back to ${shown(field.typical)}`}
          >
            back to {shown(field.typical)}
          </button>
        )}
      </div>
      <Control field={field} value={value} id={id} onChange={onChange} />
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

/** A cell in words; long ones shortened. */
export function shown(value: Cell): string {
  if (value === null) return "missing";
  if (typeof value === "number") return figure(value);
  const text = String(value)
    .replace(/T00:00:00\.000Z$/, "")
    .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?Z$/, "$1 $2$3")
    .replace(/( \d\d:\d\d):00$/, "$1");
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

const MISSING = "missing";

function Control({
  field,
  value,
  id,
  onChange,
}: {
  readonly field: Field;
  readonly value: Cell;
  readonly id: string;
  readonly onChange: (value: Cell) => void;
}) {
  switch (field.kind) {
    case "number":
      return <NumberControl field={field} value={value} id={id} onChange={onChange} />;
    case "choice":
      if (!field.isOpen) {
        const at = value === null || typeof value === "number" ? -1 : field.choices.indexOf(value);
        return (
          <select
            id={id}
            value={at < 0 ? MISSING : String(at)}
            onChange={({ target }) =>
              onChange(target.value === MISSING ? null : field.choices[Number(target.value)]!)
            }
          >
            {field.choices.map((choice, place) => (
              <option key={String(choice)} value={place}>
                {String(choice) === "" ? "(empty)" : isolated(String(choice))}
              </option>
            ))}
            <option value={MISSING}>missing</option>
          </select>
        );
      }
      return (
        <>
          <input
            id={id}
            list={`${id}-choices`}
            value={value === null ? "" : String(value)}
            placeholder="missing"
            onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
          />
          <datalist id={`${id}-choices`}>
            {field.choices.map((choice) => (
              <option key={String(choice)} value={String(choice)} />
            ))}
          </datalist>
        </>
      );
    case "time":
      return field.isDate ? (
        <input
          id={id}
          type="date"
          value={typeof value === "string" ? value.slice(0, 10) : ""}
          onChange={({ target }) =>
            onChange(target.value === "" ? null : `${target.value}T00:00:00.000Z`)
          }
        />
      ) : (
        <input
          id={id}
          type="datetime-local"
          step="1"
          value={typeof value === "string" ? value.slice(0, 19) : ""}
          onChange={({ target }) => onChange(target.value === "" ? null : `${target.value}Z`)}
        />
      );
    case "text":
      return (
        <input
          id={id}
          value={value === null ? "" : String(value)}
          placeholder="missing"
          onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
        />
      );
  }
}

function NumberControl({
  field,
  value,
  id,
  onChange,
}: {
  readonly field: NumberField;
  readonly value: Cell;
  readonly id: string;
  readonly onChange: (value: Cell) => void;
}) {
  const { column, min, max, step, counts } = field;
  const number = typeof value === "number" ? value : null;
  return (
    <div className="what-if-number">
      <div className="what-if-slider">
        <Histogram counts={counts} />
        <input
          type="range"
          aria-label={`${column}, slider`}
          min={min}
          max={max}
          step={step}
          value={number ?? (min + max) / 2}
          onChange={({ target }) => onChange(target.valueAsNumber)}
        />
        <div className="what-if-ends" aria-hidden="true">
          <span>{figure(min)}</span>
          <span>{figure(max)}</span>
        </div>
      </div>
      <input
        id={id}
        type="number"
        step="any"
        placeholder="missing"
        value={number === null ? "" : Number(number.toPrecision(7))}
        onChange={({ target }) =>
          onChange(Number.isFinite(target.valueAsNumber) ? target.valueAsNumber : null)
        }
      />
    </div>
  );
}

/** Where the training data lie along a slider. */
function Histogram({ counts }: { readonly counts: readonly number[] }) {
  if (counts.length < 2) return null;
  const most = Math.max(1, ...counts);
  return (
    <svg
      className="what-if-histogram"
      viewBox={`0 0 ${counts.length} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, place) => {
        const height = count === 0 ? 0 : Math.max(1, (20 * count) / most);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bins are told apart by their place
            key={place}
            x={place + 0.06}
            y={20 - height}
            width={0.88}
            height={height}
          />
        );
      })}
    </svg>
  );
}
