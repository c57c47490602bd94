/**
 * How far off a model tends to be where it predicts a value: the mean absolute residual by bins of
 * the prediction, joined by straight lines. Residuals divided by it are of one scale, so intervals
 * widen where the data is noisier (locally weighted conformal: Papadopoulos et al. 2008; Lei et al.
 * 2018, §5.2). It reads nothing but the prediction, so any model can compute it.
 */

import { ascendingOrder } from "../compute/ascending-order.ts";
import { interpolated } from "../compute/interpolation.ts";

/** Fewer rows a bin say too little; more bins than this follow noise. */
const ROWS_A_BIN = 40;
const MOST_BINS = 20;
/** Rows at the overall mean that each bin is thought to hold besides its own. */
const PRIOR_ROWS = 5;
/** No place is taken for easier than this share of the average. */
const LEAST_SCALE = 0.01;

/** Straight lines between knots, level beyond the first and the last; 1 on average. */
export interface DifficultyCurve {
  /** Predictions, strictly ascending. */
  readonly at: readonly number[];
  /** Positive, one a knot. */
  readonly scale: readonly number[];
}

/**
 * @param residuals signed, one a prediction
 * @param weights null = all 1; rows of weight 0 take no part
 * @param ascending the order of the predictions, where it is known
 * @param whole rows that these are a part of: bins and their priors are as for all of them; null =
 *   these are all
 */
export function fitDifficulty(
  predictions: Float64Array,
  residuals: Float64Array,
  weights: Float64Array | null,
  ascending: Uint32Array = ascendingOrder(predictions),
  whole: number | null = null,
): DifficultyCurve {
  const weightOf = (row: number): number => (weights === null ? 1 : weights[row]);
  const order = weights === null ? ascending : ascending.filter((row) => weights[row] > 0);
  let total = 0;
  let absolute = 0;
  for (const row of order) {
    total += weightOf(row);
    absolute += weightOf(row) * Math.abs(residuals[row]);
  }
  const mean = absolute / total;
  const all = whole ?? order.length;
  const bins = Math.min(MOST_BINS, Math.floor(all / ROWS_A_BIN));
  if (bins < 2 || !(mean > 0)) return { at: [0], scale: [1] };
  const prior = (PRIOR_ROWS * total) / all;

  const at: number[] = [];
  const scale: number[] = [];
  let next = 0;
  let passed = 0;
  for (let bin = 0; bin < bins && next < order.length; bin++) {
    const end = (total * (bin + 1)) / bins;
    let weight = 0;
    let centre = 0;
    let sum = 0;
    // Equal predictions share a bin, so that knots differ.
    while (
      next < order.length &&
      (bin === bins - 1 ||
        passed + weight < end ||
        predictions[order[next]] === predictions[order[next - 1]])
    ) {
      const row = order[next++];
      weight += weightOf(row);
      centre += weightOf(row) * predictions[row];
      sum += weightOf(row) * Math.abs(residuals[row]);
    }
    if (weight === 0) continue;
    passed += weight;
    const knot = centre / weight;
    // Rounding may bring the centres of two narrow bins together.
    if (at.length > 0 && !(knot > at[at.length - 1])) continue;
    at.push(knot);
    scale.push(Math.max(LEAST_SCALE, (sum + prior * mean) / (weight + prior) / mean));
  }
  return { at, scale };
}

export function difficultyAt({ at, scale }: DifficultyCurve, prediction: number): number {
  return interpolated(at, scale, prediction);
}
