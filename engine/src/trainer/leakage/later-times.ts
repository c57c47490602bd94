/** Times that lie behind the moment of a row: what they tell was not known then. */

import type { Column } from "../../data/table.ts";

/** How many rows have a time in `column` behind their moment, and in how many both are known. */
export function laterTimes(
  column: Extract<Column, { kind: "timestamp" }>,
  moments: Float64Array,
  rows: Uint32Array | null,
): { readonly later: number; readonly known: number } {
  let [later, known] = [0, 0];
  for (let i = 0; i < moments.length; i++) {
    const time = column.values[rows?.[i] ?? i];
    if (Number.isNaN(time) || Number.isNaN(moments[i])) continue;
    known++;
    if (time > moments[i]) later++;
  }
  return { later, known };
}
