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
    const own = outputs === 1 ? 1 : output;
    const scores = new Float64Array(target.length);
    const positive = new Float64Array(target.length);
    for (let i = 0; i < scores.length; i++) {
      scores[i] = probabilities[i * outputs + output];
      if (target[i] === own) positive[i] = 1;
    }
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
  const levels = new PooledLevels(scores.length);
  for (const i of ascendingOrder(scores)) {
    const weight = weights === null ? 1 : weights[i];
    if (weight !== 0) levels.add(scores[i], weight, values[i]);
  }
  return levels.settled();
}

/** Levels so far, lowest scores first, in columns: there are as many as rows at first. */
class PooledLevels {
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  readonly #weight: Float64Array;
  readonly #value: Float64Array;
  #count = 0;

  constructor(most: number) {
    this.#low = new Float64Array(most);
    this.#high = new Float64Array(most);
    this.#weight = new Float64Array(most);
    this.#value = new Float64Array(most);
  }

  /** @param score not below those that came before */
  add(score: number, weight: number, value: number): void {
    const last = this.#count - 1;
    if (last >= 0 && this.#high[last] === score && this.#low[last] === score) {
      this.#pool(last, weight, value);
      return;
    }
    // The scores before are complete now.
    this.#settle();
    const at = this.#count++;
    this.#low[at] = score;
    this.#high[at] = score;
    this.#weight[at] = weight;
    this.#value[at] = value;
  }

  settled(): Level[] {
    this.#settle();
    return Array.from({ length: this.#count }, (_, at) => ({
      low: this.#low[at],
      high: this.#high[at],
      weight: this.#weight[at],
      value: this.#value[at],
    }));
  }

  /** Pools the last level with those before it that are not lower. */
  #settle(): void {
    while (this.#count > 1) {
      const [before, last] = [this.#count - 2, this.#count - 1];
      if (this.#value[before] < this.#value[last]) return;
      this.#pool(before, this.#weight[last], this.#value[last]);
      this.#high[before] = this.#high[last];
      this.#count--;
    }
  }

  #pool(level: number, weight: number, value: number): void {
    this.#value[level] = meanOf(this.#value[level], this.#weight[level], value, weight);
    this.#weight[level] += weight;
  }
}

/** Of a level and what is pooled with it, by their weights. */
function meanOf(value: number, weight: number, other: number, otherWeight: number): number {
  return value + (otherWeight / (weight + otherWeight)) * (other - value);
}

function merge(levels: Level[], at: number): void {
  const [level, next] = [levels[at], levels[at + 1]];
  level.value = meanOf(level.value, level.weight, next.value, next.weight);
  level.weight += next.weight;
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
