/**
 * Cells as they were written, beside the values that they are read as: `01` beside 1, `TRUE` beside true.
 * Classes have their names of them (`docs/decisions/class-names.md`). Kept only where they tell something
 * else than the values do.
 */

import { cellText } from "../coerce.ts";
import type { CategoricalColumn, Column } from "../table.ts";

/** A column with more different cells has no classes: ten times as many as a label may have. */
export const MOST_SPELLINGS = 10_000;

/** Texts and categories are as they are written, and times are no classes. */
export function mayDiffer(column: Column): boolean {
  return column.kind === "numeric" || column.kind === "boolean";
}

/** Undefined where the cells are the texts that their values are shown as, or too many to keep. */
export function differing(
  column: Column,
  written: CategoricalColumn,
): CategoricalColumn | undefined {
  const { codes, categories } = written;
  if (categories.length > MOST_SPELLINGS) return undefined;
  const seen = new Uint8Array(categories.length);
  let left = categories.length;
  for (let row = 0; row < codes.length && left > 0; row++) {
    const code = codes[row];
    if (code < 0 || seen[code] === 1) continue;
    if (categories[code] !== cellText(column, row)) return written;
    seen[code] = 1;
    left--;
  }
  return undefined;
}
