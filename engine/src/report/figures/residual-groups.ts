/** Whether errors depend on what is predicted: residuals in groups of rows by their prediction. */

import { ascendingOrder } from "../../compute/ascending-order.ts";
import { quantile } from "../../data/quantile.ts";
import { tenthEnds } from "./tenths.ts";

export interface ResidualGroup {
  readonly rows: number;
  /** Means over its rows. */
  readonly predicted: number;
  readonly actual: number;
  /** Of actual − predicted: the quantiles .1, .5 and .9, linear between the two nearest values. */
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Up to ten of about equally many rows, by ascending prediction; equal predictions are in one group. */
export function residualGroups(actual: Float64Array, predicted: Float64Array): ResidualGroup[] {
  const order = ascendingOrder(predicted);
  const count = order.length;
  const ends: number[] = [];
  for (let at = 1; at <= count; at++) {
    if (at === count || predicted[order[at]] !== predicted[order[at - 1]]) ends.push(at);
  }
  let from = 0;
  return tenthEnds(ends.map((end) => end / count)).map((place) => {
    const rows = order.subarray(from, ends[place]);
    from = ends[place];
    const residuals = Float64Array.from(rows, (row) => actual[row] - predicted[row]).sort();
    return {
      rows: rows.length,
      predicted: meanOf(predicted, rows),
      actual: meanOf(actual, rows),
      low: quantile(residuals, 0.1),
      median: quantile(residuals, 0.5),
      high: quantile(residuals, 0.9),
    };
  });
}

function meanOf(values: Float64Array, rows: Uint32Array): number {
  return rows.reduce((sum, row) => sum + values[row], 0) / rows.length;
}
