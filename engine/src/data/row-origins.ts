/** How messages call a row: by its number in the table that was given, whatever rows a run makes of it. */

import { shown } from "./shown.ts";
import type { Table } from "./table.ts";

type Origins = Pick<Table, "origins">;

/** `row 3`, or `the sequence "a" (from row 3)`. */
export function rowTold(table: Origins, row: number): string {
  const { origins } = table;
  const number = `row ${rowNumber(table, row)}`;
  if (!origins?.names) return number;
  return `the ${origins.called[1]} ${shown(origins.names[row])} (from ${number})`;
}

/** Of the given table, counted from 1. */
export function rowNumber({ origins }: Origins, row: number): number {
  return (origins ? origins.rows[row] : row) + 1;
}

/** `rows`, or what they are. */
export function rowsCalled({ origins }: Origins): string {
  return origins ? origins.called[0] : "rows";
}
