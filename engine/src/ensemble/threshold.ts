/**
 * The decision threshold of two classes: the probability from which on the second class is said,
 * chosen to maximise a metric that reads labels.
 *
 * The score of a sample jumps from row to row, so its highest point is mostly chance. The cut is
 * therefore taken from the middle of all neighbouring cuts that score about as well as the best.
 */

import { ascendingOrder } from "../compute/ascending-order.ts";
import { valuesAt } from "../compute/row-lists.ts";
import { type Metric, toLoss } from "../metrics/index.ts";
import { type CrossFit, type LabelledRows, pickRows } from "./labelled-rows.ts";

export const DEFAULT_THRESHOLD = 0.5;

/** Cuts that are tried at most, evenly spread over the rows. */
const MOST_CUTS = 1000;
/** The share of the gain over the default threshold that a cut of the plateau may lack. */
const PLATEAU = 0.1;
/** Standard errors that the mean of the folds' gains must exceed. */
const STANDING_OUT = 0.5;

/** 1 where the probability reaches the threshold, else 0: what a metric of labels reads. */
export function labelsAt(probabilities: Float64Array, threshold: number): Float64Array {
  return probabilities.map((p) => (p >= threshold ? 1 : 0));
}

/** The loss of a metric that reads labels, for the labels at a threshold. */
function lossAt(
  metric: Metric,
  probabilities: Float64Array,
  threshold: number,
  { target, weights }: LabelledRows,
): number {
  const predictions = labelsAt(probabilities, threshold);
  return toLoss(metric, metric.score({ target, predictions, outputs: 1, weights }));
}

/** @param probabilities of the second class, one a row */
export function fitThreshold(
  probabilities: Float64Array,
  rows: LabelledRows,
  metric: Metric,
): number {
  const { cuts, losses } = cutLosses(probabilities, rows, metric);
  let best = -1;
  for (const [at, loss] of losses.entries()) {
    if (!Number.isNaN(loss) && (best < 0 || loss < losses[best])) best = at;
  }
  const given = lossAt(metric, probabilities, DEFAULT_THRESHOLD, rows);
  if (best < 0 || !(losses[best] < given)) return DEFAULT_THRESHOLD;
  const bound = losses[best] + PLATEAU * (given - losses[best]);
  let [low, high] = [best, best];
  while (low > 0 && losses[low - 1] <= bound) low--;
  while (high + 1 < cuts.length && losses[high + 1] <= bound) high++;
  return (cuts[low] + cuts[high]) / 2;
}

/**
 * A tuned threshold where it is better than one half on rows that it was not tuned on, by half a
 * standard error of the folds' gains, and the labels that each row would be given by what the same
 * steps make of the other folds.
 */
export function crossFitThreshold(
  probabilities: Float64Array,
  rows: LabelledRows,
  metric: Metric,
  folds: readonly CrossFit[],
): { readonly threshold: number; readonly labels: Float64Array } {
  const tuned = new Float64Array(probabilities.length);
  for (const { fit, apply } of folds) {
    const known = valuesAt(probabilities, fit);
    const threshold = fitThreshold(known, pickRows(rows, fit), metric);
    for (const i of apply) tuned[i] = probabilities[i] >= threshold ? 1 : 0;
  }
  const given = labelsAt(probabilities, DEFAULT_THRESHOLD);
  const gains = [...gainsOf(given, tuned, rows, metric, folds)];
  // Whether to tune at all is a choice as well: that of the other folds.
  const labels = given.slice();
  for (const [index, { apply }] of folds.entries()) {
    const others = gains.filter((_, other) => other !== index);
    if (standsOut(others)) for (const i of apply) labels[i] = tuned[i];
  }
  const threshold = standsOut(gains)
    ? fitThreshold(probabilities, rows, metric)
    : DEFAULT_THRESHOLD;
  return { threshold, labels };
}

/** How much lower each fold's loss is; NaN where it is undefined for the fold. */
function* gainsOf(
  before: Float64Array,
  after: Float64Array,
  rows: LabelledRows,
  metric: Metric,
  folds: readonly CrossFit[],
): Iterable<number> {
  for (const { apply } of folds) {
    const part = pickRows(rows, apply);
    const loss = (labels: Float64Array): number => {
      const predictions = valuesAt(labels, apply);
      return toLoss(metric, metric.score({ ...part, predictions }));
    };
    yield loss(before) - loss(after);
  }
}

/** Whether the mean of the folds' gains, where they have one, stands out from their noise. */
function standsOut(ofFolds: readonly number[]): boolean {
  const gains = ofFolds.filter(Number.isFinite);
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const squares = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0);
  const error = Math.sqrt(squares / Math.max(1, gains.length - 1) / gains.length);
  return mean > STANDING_OUT * error;
}

/** Cuts between neighbouring distinct scores, ascending, with the loss of each. */
function cutLosses(
  probabilities: Float64Array,
  { target, weights }: LabelledRows,
  metric: Metric,
): { readonly cuts: number[]; readonly losses: number[] } {
  const order = ascendingOrder(probabilities);
  const weightOf = (i: number) => (weights === null ? 1 : weights[i]);
  let [above0, above1] = [0, 0];
  for (let i = 0; i < target.length; i++) {
    if (target[i] === 1) above1 += weightOf(i);
    else above0 += weightOf(i);
  }
  const stride = Math.max(1, Math.floor(order.length / MOST_CUTS));
  let [below0, below1] = [0, 0];
  let latest = -stride;
  const cuts: number[] = [];
  const losses: number[] = [];
  for (let at = 0; at + 1 < order.length; at++) {
    const i = order[at];
    if (target[i] === 1) {
      below1 += weightOf(i);
      above1 -= weightOf(i);
    } else {
      below0 += weightOf(i);
      above0 -= weightOf(i);
    }
    const [score, next] = [probabilities[i], probabilities[order[at + 1]]];
    if (score === next || at - latest < stride) continue;
    latest = at;
    cuts.push((score + next) / 2);
    // One row a cell of the confusion matrix: any metric of labels reads the same from it.
    losses.push(
      toLoss(
        metric,
        metric.score({
          target: Float64Array.of(0, 0, 1, 1),
          predictions: Float64Array.of(0, 1, 0, 1),
          outputs: 1,
          weights: Float64Array.of(below0, Math.max(0, above0), below1, Math.max(0, above1)),
        }),
      ),
    );
  }
  return { cuts, losses };
}
