/** A control for each column that a model reads, by its kind and what the training data had in it. */

import { useState } from "react";
import { Field, faultAt } from "../../../ui/field.tsx";
import { counted, figure } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";
import type { Known, ModelColumn, Typed } from "./form-row.ts";

/** More are found by their names. */
const SHOWN = 60;
/** More are suggested while one types. */
const CHOICES = 40;

interface RowFieldsProps {
  readonly columns: readonly ModelColumn[];
  readonly known: ReadonlyMap<string, Known>;
  readonly typed: Typed;
  readonly onType: (name: string, text: string) => void;
  /** Of the last request. */
  readonly error: unknown;
}

export function RowFields({ columns, known, typed, onType, error }: RowFieldsProps) {
  const [wanted, setWanted] = useState("");
  const found = columns.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      {columns.length > SHOWN && (
        <Field
          label="Find a column"
          hint={`${counted(found.length, "column")}; the first ${SHOWN} are shown, all are sent.`}
        >
          {(control) => (
            <input
              {...control}
              type="search"
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
            />
          )}
        </Field>
      )}
      <div className="form-row">
        {found.slice(0, SHOWN).map((column) => (
          <RowField
            key={column.name}
            column={column}
            known={known.get(column.name)}
            text={typed[column.name] ?? ""}
            onType={(text) => onType(column.name, text)}
            fault={faultAt(error, `instances.0.${column.name}`)}
          />
        ))}
      </div>
    </>
  );
}

interface RowFieldProps {
  readonly column: ModelColumn;
  readonly known: Known | undefined;
  readonly text: string;
  readonly onType: (text: string) => void;
  readonly fault: string | undefined;
}

function RowField({ column: { name, kind }, known, text, onType, fault }: RowFieldProps) {
  const values = kind === "boolean" ? ["true", "false"] : (known?.values ?? []);
  const isChoice =
    kind === "boolean" ||
    (kind === "categorical" && known?.isWhole === true && values.length <= CHOICES);
  return (
    <Field label={<Text of={name} most={60} />} hint={hintOf(kind, known)} fault={fault}>
      {(control) =>
        isChoice ? (
          <select {...control} value={text} onChange={(event) => onType(event.target.value)}>
            <option value="">missing</option>
            {values.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </select>
        ) : (
          <>
            <input
              {...control}
              type="text"
              inputMode={kind === "numeric" ? "decimal" : "text"}
              autoComplete="off"
              placeholder="missing"
              list={
                kind === "categorical" && values.length > 0 ? `${control.id}-values` : undefined
              }
              value={text}
              onChange={(event) => onType(event.target.value)}
            />
            {kind === "categorical" && (
              <datalist id={`${control.id}-values`}>
                {values.map((value) => (
                  <option key={value}>{value}</option>
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Field>
  );
}

function hintOf(kind: ModelColumn["kind"], known: Known | undefined): string | undefined {
  const range = known?.range;
  if (!range || (kind !== "numeric" && kind !== "timestamp")) return undefined;
  const [least, greatest] = range.map((end) =>
    typeof end === "number" ? figure(end) : momentOf(end),
  );
  return `${least} to ${greatest} in training`;
}

/** Without what is zero of the time of the day. */
const momentOf = (iso: string): string =>
  iso.replace(/T00:00(:00(\.0+)?)?Z$/, "").replace(/(:00)?(\.0+)?Z$/, "Z");
