/** Tables of the bench's columns. */

import type { Table } from "../../../engine/src/data/table.ts";

/** Rows `from` … `to` - 1 of columns x0, x1, …; nothing is copied. */
export function numericTable(columns: readonly Float64Array[], from: number, to: number): Table {
  return {
    rows: to - from,
    columns: columns.map((values, f) => ({
      kind: "numeric",
      name: `x${f}`,
      values: values.subarray(from, to),
    })),
  };
}
