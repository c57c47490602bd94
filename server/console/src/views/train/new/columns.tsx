/** Controls that take one or several columns of a dataset, of which there may be ten thousand. */

import { useState } from "react";
import { type ControlProps, Field } from "../../../ui/field.tsx";
import { isolated } from "../../../ui/text.tsx";
import type { ColumnFacts } from "./guess.ts";

/** Longer lists are typed into, with suggestions. */
const LONGEST_SELECT = 300;
/** Of boxes that are shown at once. */
const MOST_BOXES = 100;

interface ColumnFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  readonly columns: readonly ColumnFacts[];
  readonly value: string;
  readonly onChange: (column: string) => void;
  /** What stands for no column; absent: one is needed. */
  readonly none?: string;
}

export function ColumnField({ label, hint, fault, ...rest }: ColumnFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => <ColumnControl control={control} {...rest} />}
    </Field>
  );
}

export function ColumnControl({
  control,
  columns,
  value,
  onChange,
  none,
}: Pick<ColumnFieldProps, "columns" | "value" | "onChange" | "none"> & {
  readonly control: Partial<ControlProps> & { readonly "aria-label"?: string };
}) {
  const listId = `${control.id ?? "columns"}-list`;
  if (columns.length > LONGEST_SELECT) {
    return (
      <>
        <input
          {...control}
          list={listId}
          value={value}
          placeholder={none ?? "Type a column's name"}
          onChange={({ target }) => onChange(target.value)}
        />
        <datalist id={listId}>
          {columns
            .filter(({ name }) => name.includes(value))
            .slice(0, MOST_BOXES)
            .map(({ name, kind }) => (
              <option key={name} value={name}>
                {kind}
              </option>
            ))}
        </datalist>
      </>
    );
  }
  return (
    <select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {none === undefined && value === "" && <option value="">Choose a column</option>}
      {columns.map(({ name, kind }) => (
        <option key={name} value={name}>
          {isolated(name, LONGEST_NAME)} ({kind})
        </option>
      ))}
    </select>
  );
}

interface ColumnsFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  readonly columns: readonly ColumnFacts[];
  readonly chosen: readonly string[];
  readonly onChange: (columns: readonly string[]) => void;
}

export function ColumnsField({ label, hint, fault, columns, chosen, onChange }: ColumnsFieldProps) {
  const [search, setSearch] = useState("");
  const wanted = search.toLowerCase();
  const matching = columns.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {columns.length > 12 && (
        <input
          aria-label={`${label}: search`}
          type="search"
          placeholder="Search columns"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <div className="boxes">
        {matching.slice(0, MOST_BOXES).map(({ name }) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                onChange(
                  target.checked ? [...chosen, name] : chosen.filter((each) => each !== name),
                )
              }
            />
            <bdi title={name}>{isolated(name, LONGEST_NAME)}</bdi>
          </label>
        ))}
      </div>
      {matching.length > MOST_BOXES && (
        <p className="hint">
          The first {MOST_BOXES} of {matching.length.toLocaleString("en")}; search for others.
        </p>
      )}
      {chosen.length > 0 && <p className="hint">{chosen.length} chosen.</p>}
      {fault && <p className="fault">{fault}</p>}
    </fieldset>
  );
}

const LONGEST_NAME = 60;
