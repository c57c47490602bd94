/** Columns of a file of predictions, in the types that every format has. */

import type { Column } from "@distillery/engine";
import { coerceColumn } from "@distillery/engine/reading";

/** `integer` has 32 bits, `long` 64 of which doubles hold each value, `timestamp` microseconds, and `text` is UTF-8. */
export const OUTPUT_TYPES = ["double", "integer", "long", "boolean", "text", "timestamp"] as const;
export type OutputType = (typeof OUTPUT_TYPES)[number];

export interface OutputField {
  readonly name: string;
  readonly type: OutputType;
  /** False where no row is missing, in the whole file. */
  readonly nullable: boolean;
}

/** One a row: numbers, and milliseconds since 1970, with NaN for NULL; 0, 1, 255 for NULL; texts. */
export type OutputCells = Float64Array | Uint8Array | readonly (string | null)[];

export interface OutputColumn extends OutputField {
  readonly cells: OutputCells;
}

/** A column of the input, as it comes out again. */
export function cellsOf(column: Column): OutputCells {
  if (column.kind === "timestamp" && column.stamp !== undefined) {
    return cellsOf(coerceColumn(column, "numeric"));
  }
  if (column.kind !== "categorical") return column.values;
  const { codes, categories } = column;
  return Array.from(codes, (code) => categories[code] ?? null);
}

/** The cell as a value of JavaScript; null where it is missing. */
export function valueAt(
  { type, cells }: OutputColumn,
  row: number,
): number | string | boolean | null {
  const cell = cells[row];
  if (cell === undefined || cell === null || typeof cell === "string") return cell ?? null;
  if (type === "boolean") return cell === 255 ? null : cell === 1;
  return Number.isNaN(cell) ? null : cell;
}
