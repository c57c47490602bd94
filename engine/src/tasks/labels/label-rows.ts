/** A label column over the rows of a run, and the faults that any kind of label may have. */

import { isMissingCell } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError } from "../../data/table.ts";

export interface LabelRows {
  readonly count: number;
  /** The table's row of the i-th row of the run. */
  at(i: number): number;
}

export function fail(column: Column, message: string, row?: number): never {
  throw new DataError(message, {
    column: column.name,
    ...(row === undefined ? {} : { row: row + 1 }),
  });
}

export function refuseMissing(column: Column, rows: LabelRows): void {
  let missing = 0;
  let first = -1;
  for (let i = 0; i < rows.count; i++) {
    if (!isMissingCell(column, rows.at(i))) continue;
    if (first < 0) first = rows.at(i);
    missing++;
  }
  if (missing === 0) return;
  const filter = JSON.stringify({ kind: "comparison", column: column.name, op: "is_not_null" });
  fail(
    column,
    `The label ${shown(column.name)} is missing in ${missing} of ${rows.count} rows, first in row ${first + 1}. Leave these rows out with the filter ${filter}.`,
    first,
  );
}

export function refuseConstant(column: Column, value: string, count: number): never {
  fail(
    column,
    `The label ${shown(column.name)} is ${shown(value)} in all ${count} rows; there is nothing to learn.`,
  );
}
