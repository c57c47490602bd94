/** Whether a table's rows lie in order of a column of times, as those of logs and exports do. */

import type { Column } from "../../../data/table.ts";

/** Fewer times than this are in order by chance, or are names of periods. */
const FEWEST_TIMES = 20;

/** @param rows of the table; null = all. Missing times are passed over, and newest first is an order too. */
export function isInOrderOfTime(column: Column, rows: Uint32Array | null): boolean {
  if (column.kind !== "timestamp") return false;
  const { values } = column;
  const count = rows?.length ?? values.length;
  let [earlier, later, last] = [0, 0, Number.NaN];
  for (let i = 0; i < count; i++) {
    const time = values[rows?.[i] ?? i];
    if (Number.isNaN(time)) continue;
    if (time > last) later++;
    else if (time < last) earlier++;
    if (earlier > 0 && later > 0) return false;
    last = time;
  }
  return earlier + later + 1 >= FEWEST_TIMES;
}
