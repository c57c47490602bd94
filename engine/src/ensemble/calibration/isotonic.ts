/**
 * Isotonic regression of the label on a score by pooling adjacent violators, kept as a curve of few
 * knots.
 *
 * Source: Ayer et al. 1955 (the pooling); Zadrozny & Elkan, "Transforming classifier scores into
 * accurate multiclass probability estimates", KDD 2002 (calibration by it, classes one by one).
 */

import { ascendingOrder } from "../../compute/ascending-order.ts";
import type { LabelledRows } from "../labelled-rows.ts";
import type { IsotonicCalibration, IsotonicCurve } from "./calibration.ts";

/** Level pieces that a curve keeps at most; each has two knots. */
const MOST_LEVELS = 50;

/** Rows pooled to one level. */
interface Level {
  /** The least and the greatest score. */
  low: number;
  high: number;
  weight: number;
  /** Weighted mean of the labels. */
  value: number;
}

/** @param probabilities of the rows, row-major */
export function fitIsotonic(
  probabilities: Float64Array,
  { target, weights, outputs }: LabelledRows,
): IsotonicCalibration {
  const curves = Array.from({ length: outputs }, (_, output) => {
    const scores = new Float64Array(target.length);
    for (let i = 0; i < scores.length; i++) scores[i] = probabilities[i * outputs + output];
    const positive = target.map((y) => (y === (outputs === 1 ? 1 : output) ? 1 : 0));
    return boundedCurve(isotonicLevels(scores, positive, weights));
  });
  return { kind: "isotonic", curves };
}

/**
 * The rising step function nearest to `values` in weighted squares, by score. Rows of equal score
 * are one; rows of weight 0 have no part.
 */
export function isotonicLevels(
  scores: Float64Array,
  values: Float64Array,
  weights: Float64Array | null,
): Level[] {
  const levels: Level[] = [];
  for (const i of ascendingOrder(scores)) {
    const weight = weights === null ? 1 : weights[i];
    if (weight === 0) continue;
    const last = levels.at(-1);
    if (last && last.high === scores[i] && last.low === scores[i]) pool(last, weight, values[i]);
    else {
      // The scores before are complete now.
      settle(levels);
      levels.push({ low: scores[i], high: scores[i], weight, value: values[i] });
    }
  }
  settle(levels);
  return levels;
}

function pool(level: Level, weight: number, value: number): void {
  const total = level.weight + weight;
  level.value += (weight / total) * (value - level.value);
  level.weight = total;
}

/** Pools the last level with those before it that are not lower. */
function settle(levels: Level[]): void {
  while (levels.length > 1) {
    const last = levels[levels.length - 1];
    const before = levels[levels.length - 2];
    if (before.value < last.value) return;
    merge(levels, levels.length - 2);
  }
}

function merge(levels: Level[], at: number): void {
  const [level, next] = [levels[at], levels[at + 1]];
  pool(level, next.weight, next.value);
  level.high = next.high;
  levels.splice(at + 1, 1);
}

/** Merges the most alike neighbours while there are too many, and keeps away from 0 and 1. */
function boundedCurve(levels: Level[]): IsotonicCurve {
  while (levels.length > MOST_LEVELS) {
    let [least, best] = [Number.POSITIVE_INFINITY, 0];
    for (let at = 0; at + 1 < levels.length; at++) {
      const [a, b] = [levels[at], levels[at + 1]];
      const cost = ((a.weight * b.weight) / (a.weight + b.weight)) * (a.value - b.value) ** 2;
      if (cost < least) [least, best] = [cost, at];
    }
    merge(levels, best);
  }
  if (levels.length === 0) return { x: [0, 1], y: [0.5, 0.5] };
  // No row says that a probability is 0: as if half a row more had said otherwise.
  const lowest = 0.5 / (levels[0].weight + 1);
  const highest = 1 - 0.5 / (levels[levels.length - 1].weight + 1);
  const x: number[] = [];
  const y: number[] = [];
  for (const { low, high, value } of levels) {
    const bounded = Math.max(Math.min(value, highest), Math.min(lowest, highest));
    x.push(low);
    y.push(bounded);
    if (high > low) {
      x.push(high);
      y.push(bounded);
    }
  }
  return { x, y };
}
