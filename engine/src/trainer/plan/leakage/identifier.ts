/**
 * Columns that number or name the rows. A model can only learn the rows by heart from them, and
 * where the rows are sorted by what is predicted they give it away.
 */

import { isMissingCell } from "../../../data/coerce.ts";
import type { Column } from "../../../data/table.ts";

const FEWEST_ROWS = 20;
/** Of the rows with a value. */
const UNIQUE_SHARE = 0.98;
/** Below these, much looks evenly spread. */
const EVEN_ROWS = 50;
/** Whole numbers this close to each other are a numbering and no measurement. */
const DENSE_RANGE = 1.5;
const NAMED = /(?:^|[^a-z])(?:id|uuid|guid|key|index|rowid|row_?number|serial)$/i;
const CAMEL_NAMED = /[a-z](?:Id|ID)$/;

/** What makes the column look like an identifier, in a few words; null where nothing does. */
export function identifierSign(column: Column, rows: Uint32Array | null): string | null {
  const count = rows?.length ?? lengthOf(column);
  if (count < FEWEST_ROWS) return null;
  if (column.kind === "boolean" || column.kind === "timestamp") return null;
  const named = NAMED.test(column.name) || CAMEL_NAMED.test(column.name);
  return column.kind === "numeric"
    ? numberSign(column.values, rows, count, named)
    : codeSign(column, rows, count);
}

function numberSign(
  values: Float64Array,
  rows: Uint32Array | null,
  count: number,
  named: boolean,
): string | null {
  const seen = new Set<number>();
  let present = 0;
  let rises = true;
  let falls = true;
  let [low, high, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
  for (let i = 0; i < count; i++) {
    const value = values[rows?.[i] ?? i];
    if (Number.isNaN(value)) continue;
    if (!Number.isInteger(value)) return null;
    present++;
    seen.add(value);
    if (present - seen.size > (1 - UNIQUE_SHARE) * count) return null;
    low = Math.min(low, value);
    high = Math.max(high, value);
    rises &&= !(value <= last);
    falls &&= !(value >= last);
    last = value;
  }
  if (present < FEWEST_ROWS || seen.size < UNIQUE_SHARE * present) return null;
  if (rises || falls) return `its whole numbers ${rises ? "rise" : "fall"} from row to row`;
  if (high - low < DENSE_RANGE * present) return "its whole numbers are a numbering of the rows";
  if (named) return "its whole numbers are different in nearly every row";
  return seen.size === present && isSpreadEvenly(seen, low, high)
    ? "its whole numbers are all different and evenly spread, as assigned numbers are"
    : null;
}

/**
 * Whether values lie as if drawn evenly between the least and the greatest (Kolmogorov–Smirnov, at
 * 5 %): what is measured gathers somewhere, numbers that are given out do not.
 */
function isSpreadEvenly(distinct: ReadonlySet<number>, low: number, high: number): boolean {
  if (distinct.size < EVEN_ROWS) return false;
  const sorted = Float64Array.from(distinct).sort();
  const farthest = sorted.reduce((most, value, i) => {
    const share = (value - low) / (high - low);
    return Math.max(
      most,
      Math.abs(share - i / sorted.length),
      Math.abs(share - (i + 1) / sorted.length),
    );
  }, 0);
  return farthest * Math.sqrt(sorted.length) < 1.36;
}

/** Codes and names without spaces; sentences are different in every row too, and say something. */
function codeSign(
  column: Extract<Column, { kind: "categorical" | "text" }>,
  rows: Uint32Array | null,
  count: number,
): string | null {
  const seen = new Set<string | number>();
  let [present, words] = [0, 0];
  for (let i = 0; i < count; i++) {
    const row = rows?.[i] ?? i;
    if (isMissingCell(column, row)) continue;
    present++;
    if (present - 1 - seen.size > (1 - UNIQUE_SHARE) * count) return null;
    const text =
      column.kind === "text" ? (column.values[row] ?? "") : column.categories[column.codes[row]];
    if (/\s/.test(text.trim())) words++;
    seen.add(column.kind === "text" ? text : column.codes[row]);
  }
  // A code for a few rows is a rare mark, not the rows' name.
  if (present < FEWEST_ROWS || present < count / 2) return null;
  if (seen.size < UNIQUE_SHARE * present || words > present / 10) return null;
  return `it has ${seen.size} different codes in ${present} rows`;
}

function lengthOf(column: Column): number {
  return column.kind === "categorical" ? column.codes.length : column.values.length;
}
