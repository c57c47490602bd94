/** From weights of series to those of the rows that are forecast. */

import type { SeriesFrame } from "../data/frame.ts";

/**
 * A member's weight in each row of forecasts.
 *
 * @param bySeries of the series of the training data, by their numbers
 * @param pooled of series that are none of these
 * @param rows of the frame, ascending; null = all
 */
export function weightsOfRows(
  bySeries: Float64Array,
  pooled: number,
  frame: Pick<SeriesFrame, "ids" | "offsets" | "target">,
  rows: Uint32Array | null,
): Float64Array {
  const asked = rows ?? Uint32Array.from(frame.target.keys());
  const weights = new Float64Array(asked.length);
  let series = 0;
  for (const [i, row] of asked.entries()) {
    while (row >= frame.offsets[series + 1]) series++;
    weights[i] = bySeries[frame.ids[series]] ?? pooled;
  }
  return weights;
}
