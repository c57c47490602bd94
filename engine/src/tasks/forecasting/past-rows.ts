/**
 * Rows behind the last value of all series, which hold what is known of steps to come. As history they
 * would move the origin of all forecasts behind them, and leave the last windows without a truth.
 */

import { rowNumbers, rowsWhere } from "../../compute/row-lists.ts";
import { isMissingCell } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import type { Column, NumericColumn } from "../../data/table.ts";

export interface PastRows {
  /** Of the table; null = all. */
  readonly rows: Uint32Array | null;
  readonly warnings: readonly string[];
}

/**
 * The rows until the last time at which any series has a value; all where none has.
 *
 * @param rows of the table; null = all
 */
export function pastRows(
  time: Column,
  label: NumericColumn,
  rows: Uint32Array | null,
  count: number,
): PastRows {
  if (time.kind !== "numeric" && time.kind !== "timestamp") return { rows, warnings: [] };
  const all = rows ?? rowNumbers(count);
  let last = Number.NEGATIVE_INFINITY;
  for (const row of all) {
    if (!Number.isNaN(label.values[row]) && !isMissingCell(time, row)) {
      last = Math.max(last, time.values[row]);
    }
  }
  // One without a time stays, and is refused as such.
  const past = rowsWhere(all, (row) => isMissingCell(time, row) || time.values[row] <= last);
  const coming = all.length - past.length;
  if (coming === 0 || past.length === 0) return { rows, warnings: [] };
  const first = all.find((row) => !isMissingCell(time, row) && time.values[row] > last)!;
  const [rowsAre, them] =
    coming === 1
      ? ["row", "is a step to come: it is"]
      : [`${coming} rows`, "are steps to come: they are"];
  return {
    rows: past,
    warnings: [
      `The ${rowsAre} behind the last value of ${shown(label.name)}, ${coming === 1 ? "" : "first "}row ${first + 1}, ${them} left out, and forecasts begin there. Send what is known of ${coming === 1 ? "it" : "them"} as \`future\` with a request.`,
    ],
  };
}
