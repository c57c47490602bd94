/** Cells that a model's column cannot have, found without asking the model. */

import { type Column, type ColumnKind, DataError } from "@distillery/engine";
import { coerceColumn } from "@distillery/engine/reading";

type CategoricalColumn = Extract<Column, { kind: "categorical" }>;

export interface ReadableColumn {
  /** The column with those cells missing. */
  readonly column: Column;
  /** By row: what is wrong. */
  readonly faults: ReadonlyMap<number, string>;
}

/** @param kind that the model reads the column as */
export function readableColumn(column: Column, kind: ColumnKind): ReadableColumn {
  const none = { column, faults: new Map<number, string>() };
  if (column.kind === kind || isReadable(column, kind)) return none;
  if (column.kind === "categorical") return readableCategories(column, kind);
  if (column.kind === "text") {
    const codes = new Map<string, number>();
    const coded = Int32Array.from(column.values, (text) => {
      if (text === null) return -1;
      const code = codes.get(text) ?? codes.size;
      codes.set(text, code);
      return code;
    });
    const { name } = column;
    return readableCategories(
      { kind: "categorical", name, codes: coded, categories: [...codes.keys()] },
      kind,
    );
  }
  return readableNumbers(column, kind);
}

/** One look at each distinct text. */
function readableCategories(column: CategoricalColumn, kind: ColumnKind): ReadableColumn {
  const wrong = column.categories.map((text) =>
    faultOf({ ...column, codes: Int32Array.of(0), categories: [text] }, kind),
  );
  const faults = new Map<number, string>();
  const codes = Int32Array.from(column.codes, (code, row) => {
    const fault = code < 0 ? null : (wrong[code] ?? null);
    if (fault === null) return code;
    faults.set(row, fault);
    return -1;
  });
  return { column: { ...column, codes }, faults };
}

function readableNumbers(
  column: Exclude<Column, { kind: "categorical" | "text" }>,
  kind: ColumnKind,
): ReadableColumn {
  const faults = new Map<number, string>();
  if (column.kind === "boolean") {
    const values = Uint8Array.from(column.values, (value, row) => {
      const fault = faultOf({ ...column, values: Uint8Array.of(value) }, kind);
      if (fault !== null) faults.set(row, fault);
      return fault === null ? value : 255;
    });
    return { column: { ...column, values }, faults };
  }
  const values = Float64Array.from(column.values, (value, row) => {
    const fault = faultOf({ ...column, values: Float64Array.of(value) }, kind);
    if (fault !== null) faults.set(row, fault);
    return fault === null ? value : Number.NaN;
  });
  return { column: { ...column, values }, faults };
}

const isReadable = (column: Column, kind: ColumnKind): boolean => faultOf(column, kind) === null;

function faultOf(column: Column, kind: ColumnKind): string | null {
  try {
    coerceColumn(column, kind);
    return null;
  } catch (error) {
    if (error instanceof DataError) return error.message;
    throw error;
  }
}
