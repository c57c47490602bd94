/** A label column over the rows of a run, and the faults that any kind of label may have. */

import { isMissingCell } from "../../data/coerce.ts";
import { rowNumber, rowsCalled, rowTold } from "../../data/row-origins.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError, type RowOrigins, type Table } from "../../data/table.ts";

export interface LabelRows {
  readonly count: number;
  /** The table's row of the i-th row of the run. */
  at(i: number): number;
  /** Of the table, where it has some. */
  readonly origins?: RowOrigins;
}

/** @param rows of the table; null = all */
export function rowsOfRun(
  { rows: all, origins }: Pick<Table, "rows" | "origins">,
  rows: Uint32Array | null,
): LabelRows {
  return {
    count: rows?.length ?? all,
    at: (i) => (rows === null ? i : rows[i]),
    ...(origins && { origins }),
  };
}

/** The kinds of tasks that a message points to, where the label suits another one. */
export interface RelatedKinds {
  readonly values: string;
  readonly two: string;
  readonly several: string;
}

export const KINDS_OF_ROWS: RelatedKinds = {
  values: "regression",
  two: "binclass",
  several: "multiclass",
};

export function fail(column: Column, message: string): never {
  throw new DataError(message, { column: column.name });
}

/** @param message what is said of the row, by what it is called */
export function failAt(
  column: Column,
  rows: LabelRows,
  row: number,
  message: (told: string) => string,
): never {
  throw new DataError(message(rowTold(rows, row)), {
    column: column.name,
    row: rowNumber(rows, row),
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
  if (missing === rows.count) {
    fail(
      column,
      `The label ${shown(column.name)} is missing in all ${rows.count} ${rowsCalled(rows)}; there is nothing to learn. Choose another column, or fill it.`,
    );
  }
  const filter = JSON.stringify({ kind: "comparison", column: column.name, op: "is_not_null" });
  failAt(
    column,
    rows,
    first,
    (told) =>
      `The label ${shown(column.name)} is missing in ${missing} of ${rows.count} ${rowsCalled(rows)}, first in ${told}. Leave these ${rowsCalled(rows)} out with the filter ${filter}.`,
  );
}

export function refuseConstant(column: Column, value: string, rows: LabelRows): never {
  fail(
    column,
    `The label ${shown(column.name)} is ${shown(value)} in all ${rows.count} ${rowsCalled(rows)}; there is nothing to learn.`,
  );
}
