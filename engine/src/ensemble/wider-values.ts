/**
 * A blend of values, made wider: means over members, and over the fits of a trial's folds, lie nearer to the middle than
 * what they stand for. Their distances from their mean are multiplied by the slope of the labels on them, the
 * calibration slope (Cox, "Two further applications of a model for binary regression", Biometrika 45, 1958; Miller,
 * Hui & Tierney, "Validation techniques for logistic regression models", Statistics in Medicine 10, 1991). It is for
 * values what `sharpness.ts` is for probabilities; `docs/decisions/model-pipeline.md` has what was measured.
 */

import { rowNumbers } from "../compute/row-lists.ts";
import { blend } from "./blend.ts";
import { crossFit, type LabelledRows } from "./labelled-rows.ts";
import type { WeightedCandidates } from "./weighted-candidates.ts";

/** How much the slope is expected to differ from 1, by a normal law: few rows hardly move it. */
const SPREAD = 0.1;
/**
 * At least: values that go against the labels, as of a few heavy rows, are drawn to their mean and never turned
 * round, which would leave a blend without members.
 */
const LEAST_SLOPE = 0.05;

/** Values of a blend along a line. */
export interface MovedValues {
  /** What values are multiplied by, and what is added after. */
  readonly slope: number;
  readonly intercept: number;
  /** Values of each row, by a slope that was fitted without it. */
  readonly crossFitted: Float64Array;
}

/**
 * Each slope is of the weights that it goes with: by others, of which one follows a single row that is far off, it would
 * be of another blend.
 *
 * @returns null where values would change their sign that labels never do
 */
export function fitWiderValues({
  predictions,
  rows,
  folds,
  weights,
  byFold,
}: WeightedCandidates): MovedValues | null {
  const averaged = new Float64Array(rows.target.length);
  const crossFitted = crossFit(folds, rows, (known, index) => {
    const own = averageBy(predictions, byFold[index]);
    const { slope, intercept } = slopeOn(known, rows, own);
    return (apply) => {
      for (const row of apply) averaged[row] = own[row];
      return Float64Array.from(apply, (row) => slope * own[row] + intercept);
    };
  });
  const ofModel = averageBy(predictions, weights);
  const { slope, intercept } = slopeOn(rowNumbers(ofModel.length), rows, ofModel);
  const wider = ofModel.map((value) => slope * value + intercept);
  return keepsSign(rows.target, [ofModel, averaged], [wider, crossFitted])
    ? { slope, intercept, crossFitted }
    : null;
}

/** False where labels are all of one sign, and moved values have the other, that had not before. */
export function keepsSign(
  target: Float64Array,
  before: readonly Float64Array[],
  moved: readonly Float64Array[],
): boolean {
  return [1, -1].every((sign) => {
    const keeps = (values: Float64Array): boolean => values.every((value) => sign * value >= 0);
    return !keeps(target) || moved.every((values, i) => !keeps(before[i]) || keeps(values));
  });
}

export function averageBy(
  predictions: readonly Float64Array[],
  weights: readonly number[],
): Float64Array {
  const members = [...weights.keys()].filter((member) => weights[member] > 0);
  return blend(
    members.map((member) => predictions[member]),
    members.map((member) => weights[member]),
  );
}

/** Least squares, whose slope is drawn to 1. */
function slopeOn(
  known: Uint32Array,
  { target, weights }: LabelledRows,
  averaged: Float64Array,
): { readonly slope: number; readonly intercept: number } {
  const weightOf = (row: number): number => weights?.[row] ?? 1;
  let [total, sum, sumOfTargets, squares] = [0, 0, 0, 0];
  for (const row of known) {
    const weight = weightOf(row);
    total += weight;
    sum += weight * averaged[row];
    sumOfTargets += weight * target[row];
    squares += weight * (target[row] - averaged[row]) ** 2;
  }
  if (!(total > 0)) return { slope: 1, intercept: 0 };
  const [middle, middleOfTargets] = [sum / total, sumOfTargets / total];
  // What the law weighs, as errors of the blend's size do.
  const law = squares / total / SPREAD ** 2;
  let [products, own] = [law, law];
  for (const row of known) {
    const away = averaged[row] - middle;
    products += weightOf(row) * away * (target[row] - middleOfTargets);
    own += weightOf(row) * away * away;
  }
  const slope = own > 0 ? Math.max(LEAST_SLOPE, products / own) : 1;
  return { slope, intercept: (1 - slope) * middle };
}
