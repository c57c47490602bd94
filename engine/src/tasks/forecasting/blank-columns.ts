/** Columns that are known in advance, and left blank on ordinary days: holidays, promotions. */

import { isMissingCell } from "../../data/coerce.ts";
import type { Column } from "../../data/table.ts";

/** Of rows with numbers, from which on blanks are what is usual, and not gaps. */
const USUAL_SHARE = 0.5;

/**
 * Whether a blank says that there is nothing, and not that something is not known. Of categories and texts any blank
 * does: it is none of them. Numbers have gaps, unless most rows are blank, or there is nothing else beside one value.
 *
 * @param rows of the column; -1 = none
 */
export function isBlankOrdinary(column: Column, rows: Int32Array): boolean {
  let [blanks, present] = [0, 0];
  const cells: ArrayLike<unknown> = column.kind === "categorical" ? column.codes : column.values;
  const seen = new Set<unknown>();
  for (const row of rows) {
    if (row < 0) continue;
    if (isMissingCell(column, row)) blanks++;
    else {
      present++;
      if (seen.size < 2) seen.add(cells[row]);
    }
  }
  if (blanks === 0 || present === 0) return false;
  if (column.kind === "categorical" || column.kind === "text") return true;
  return seen.size === 1 || blanks > USUAL_SHARE * (blanks + present);
}
