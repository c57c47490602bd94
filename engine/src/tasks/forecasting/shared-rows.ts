/** What columns say of sums of series. */

import { cellText, isMissingCell } from "../../data/coerce.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import type { Column } from "../../data/table.ts";

/** Where the series of a sum have different cells, in place of a row. */
const DIFFERENT = -2;

/**
 * What a column says of a sum is what it says of all of its series alike: a row that says so; below 0 where they
 * differ or say nothing.
 *
 * @param rows of the column; -1 = none
 * @param isBlankValue a blank is a value too, from which others differ
 */
export function sharedRow(column: Column, rows: readonly number[], isBlankValue: boolean): number {
  let found = -1;
  for (const row of rows) {
    if (row < 0 || (!isBlankValue && isMissingCell(column, row))) continue;
    if (found < 0) found = row;
    else if (cellText(column, row) !== cellText(column, found)) return DIFFERENT;
  }
  return found;
}

/** Of columns whose blanks are values: the rows of sums of which nothing is known. @param places as `sharedRow` gives them */
export function untoldRows(
  columns: readonly { readonly name: string; readonly places: Int32Array }[],
): Pick<SeriesFrame, "untold"> {
  const untold = columns.flatMap(({ name, places }) => {
    if (!places.includes(DIFFERENT)) return [];
    const rows = new Uint8Array(new SharedArrayBuffer(places.length));
    for (const [row, place] of places.entries()) rows[row] = Number(place === DIFFERENT);
    return [{ name, rows }];
  });
  return untold.length > 0 ? { untold } : {};
}
