/**
 * Time-ordered splits with an expanding window: each fold learns from everything before its
 * validation rows and is validated on the next stretch of time (rolling-origin evaluation: Tashman,
 * "Out-of-sample tests of forecasting accuracy", Int. J. Forecasting 16, 2000). Rows of equal time
 * are never split, so nothing of the validated moment is learned.
 */

import { ascendingOrder } from "../compute/ascending-order.ts";
import type { Fold } from "./fold.ts";

/**
 * Cut points between rows in order of time: strictly increasing, each where the time changes, each
 * as near to its ideal as the others allow. Null where there are fewer changes than cuts.
 *
 * @param changes ascending positions p with time[p − 1] < time[p]
 * @param ideals ascending positions
 */
function cutPoints(
  changes: readonly number[],
  ideals: readonly number[],
): readonly number[] | null {
  if (changes.length < ideals.length) return null;
  const cuts: number[] = [];
  let from = 0;
  ideals.forEach((ideal, j) => {
    const last = changes.length - (ideals.length - j);
    while (from < last && Math.abs(changes[from + 1] - ideal) <= Math.abs(changes[from] - ideal)) {
      from++;
    }
    cuts.push(changes[from]);
    from++;
  });
  return cuts;
}

/** The order of rows by time and the positions in it where the time changes. */
function timeline(times: Float64Array): { order: Uint32Array; changes: number[] } {
  const order = ascendingOrder(times);
  const changes: number[] = [];
  for (let p = 1; p < order.length; p++) {
    if (times[order[p]] !== times[order[p - 1]]) changes.push(p);
  }
  return { order, changes };
}

/** How many different times there are. */
export function distinctTimes(times: Float64Array): number {
  return times.length === 0 ? 0 : timeline(times).changes.length + 1;
}

/**
 * Of the rows, that the first fold learns from at least: what is chosen by folds that know little of the past, such as one
 * season of a year, is chosen for models that know little.
 */
const FIRST_SHARE = 1 / 3;

/**
 * `folds` windows over rows in order of time, or null where there are not `folds` + 1 different
 * times. `firstShare` of the rows (as near as equal times allow) are only learned from; the rest
 * is validated in `folds` stretches of equal size.
 *
 * @returns positions into `times`, ascending
 */
export function expandingWindows(
  times: Float64Array,
  folds: number,
  firstShare = Math.max(1 / (folds + 1), FIRST_SHARE),
): readonly Fold[] | null {
  const { order, changes } = timeline(times);
  const stretch = (1 - firstShare) / folds;
  const ideals = Array.from({ length: folds }, (_, j) => (firstShare + j * stretch) * order.length);
  const cuts = cutPoints(changes, ideals);
  if (cuts === null) return null;
  return cuts.map((cut, j) => ({
    train: order.slice(0, cut).sort(),
    valid: order.slice(cut, cuts[j + 1] ?? order.length).sort(),
  }));
}
