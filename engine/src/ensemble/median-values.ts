/**
 * A blend of values for metrics that are least at medians: families learn means, which lie beside the medians of
 * labels that are skewed, by the more the larger they are. Values are moved along the line of least absolute errors of
 * the labels on them (Koenker & Bassett, "Regression quantiles", Econometrica 46, 1978), where rows that it was
 * not fitted on say that this is better.
 */

import { ascendingOrder } from "../compute/ascending-order.ts";
import { rowNumbers } from "../compute/row-lists.ts";
import type { Metric } from "../metrics/index.ts";
import { crossFit, type LabelledRows } from "./labelled-rows.ts";
import { rowLosses } from "./row-losses.ts";
import type { WeightedCandidates } from "./weighted-candidates.ts";
import { averageBy, keepsSign, type MovedValues } from "./wider-values.ts";

/** Metrics that are weighted sums of absolute errors. */
export const OF_ABSOLUTE_ERRORS: readonly string[] = ["mae", "mape", "wape"];
const RELATIVE = "mape";
const LEAST_SLOPE = 0.05;
const MOST_SLOPE = 4;
/** Slopes that are tried: each leaves .618 of the range. */
const STEPS = 30;
/** Rows that a line is fitted to, at most. */
const MOST_ROWS = 10_000;
/** What is gained must be so many of its own standard errors. */
const CLEARLY = 1;

type Line = Omit<MovedValues, "crossFitted">;

/** @returns null where values are as good as they are */
export function fitMedianValues({
  predictions,
  rows,
  folds,
  weights,
  byFold,
  metric,
}: WeightedCandidates & { readonly metric: Metric }): MovedValues | null {
  const averaged = new Float64Array(rows.target.length);
  const ofModel = averageBy(predictions, weights);
  const fitted = (isThroughOrigin: boolean): MovedValues => {
    const lineOn = (known: Uint32Array, values: Float64Array): Line =>
      leastAbsoluteErrors(sampleOf(known, values, rows, metric), isThroughOrigin);
    const crossFitted = crossFit(folds, rows, (known, index) => {
      const own = averageBy(predictions, byFold[index]);
      const { slope, intercept } = lineOn(known, own);
      return (apply) => {
        for (const row of apply) averaged[row] = own[row];
        return Float64Array.from(apply, (row) => slope * own[row] + intercept);
      };
    });
    return { ...lineOn(rowNumbers(ofModel.length), ofModel), crossFitted };
  };
  let moved = fitted(false);
  const wholly = ofModel.map((value) => moved.slope * value + moved.intercept);
  // No count or price becomes negative; a line through 0 turns none.
  if (!keepsSign(rows.target, [ofModel, averaged], [wholly, moved.crossFitted]))
    moved = fitted(true);
  return isClearlyBetter(metric, rows, averaged, moved.crossFitted) ? moved : null;
}

function isClearlyBetter(
  metric: Metric,
  rows: LabelledRows,
  before: Float64Array,
  after: Float64Array,
): boolean {
  const scored = { ...metric, name: metric.name === RELATIVE ? RELATIVE : "mae" };
  const [worse, better] = [before, after].map((values) => rowLosses(scored, values, rows));
  const weightOf = (row: number): number => rows.weights?.[row] ?? 1;
  let [total, gain, squares] = [0, 0, 0];
  for (let row = 0; row < worse.length; row++) {
    total += weightOf(row);
    gain += weightOf(row) * (worse[row] - better[row]);
  }
  const mean = gain / total;
  for (let row = 0; row < worse.length; row++) {
    squares += (weightOf(row) * (worse[row] - better[row] - mean)) ** 2;
  }
  return mean > (CLEARLY * Math.sqrt(squares)) / total;
}

interface Sample {
  readonly values: Float64Array;
  readonly labels: Float64Array;
  /** Of an absolute error in the metric. */
  readonly weights: Float64Array;
}

function sampleOf(
  known: Uint32Array,
  predictions: Float64Array,
  { target, weights }: LabelledRows,
  metric: Metric,
): Sample {
  const step = Math.ceil(known.length / MOST_ROWS);
  const taken = known.filter((_, place) => place % step === 0);
  return {
    values: Float64Array.from(taken, (row) => predictions[row]),
    labels: Float64Array.from(taken, (row) => target[row]),
    weights: Float64Array.from(taken, (row) => {
      const weight = weights?.[row] ?? 1;
      return metric.name === RELATIVE
        ? weight / Math.max(Math.abs(target[row]), Number.EPSILON)
        : weight;
    }),
  };
}

/**
 * The line of the least weighted sum of absolute errors: of each slope the intercept is a weighted median, and the sum
 * is convex in the slope, which golden sections find.
 */
function leastAbsoluteErrors(sample: Sample, isThroughOrigin: boolean): Line {
  const { values, labels, weights } = sample;
  const interceptOf = (slope: number): number =>
    isThroughOrigin
      ? 0
      : weightedMedian(
          labels.map((label, i) => label - slope * values[i]),
          weights,
        );
  const lossOf = (slope: number): number => {
    const intercept = interceptOf(slope);
    let sum = 0;
    for (let i = 0; i < labels.length; i++) {
      sum += weights[i] * Math.abs(labels[i] - slope * values[i] - intercept);
    }
    return sum;
  };
  const section = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [LEAST_SLOPE, MOST_SLOPE];
  let [left, right] = [high - section * (high - low), low + section * (high - low)];
  let [ofLeft, ofRight] = [lossOf(left), lossOf(right)];
  for (let step = 0; step < STEPS; step++) {
    if (ofLeft <= ofRight) {
      [high, right, ofRight] = [right, left, ofLeft];
      left = high - section * (high - low);
      ofLeft = lossOf(left);
    } else {
      [low, left, ofLeft] = [left, right, ofRight];
      right = low + section * (high - low);
      ofRight = lossOf(right);
    }
  }
  const slope = (low + high) / 2;
  return { slope, intercept: interceptOf(slope) };
}

/** The least value that half of the weight is at or below. */
function weightedMedian(values: Float64Array, weights: Float64Array): number {
  const order = ascendingOrder(values);
  const half = weights.reduce((sum, weight) => sum + weight, 0) / 2;
  let below = 0;
  for (const place of order) {
    below += weights[place];
    if (below >= half) return values[place];
  }
  return 0;
}
