/**
 * Quantiles of nonconformity scores with the correction for a finite sample: of n scores, the
 * ⌈level·(n + 1)⌉-th smallest, so that a new row's score is no higher with a probability of at least
 * `level` (Vovk, Gammerman & Shafer 2005; Lei et al. 2018, "Distribution-free predictive inference
 * for regression", §2.2).
 *
 * With weights, the new row's share is 1 / (n + 1) of Kish's effective size n = (Σw)² / Σw² (in the
 * place of its own weight in Tibshirani et al. 2019, "Conformal prediction under covariate shift",
 * since the weight of a row to come is not known). Rows of weight 0 take no part. Of rows in groups, n is as many as
 * they are worth for a row of a new group (`alike.ts`).
 */

import { ascendingOrder } from "../compute/ascending-order.ts";
import { valuesAt } from "../compute/row-lists.ts";

/** Products of levels and counts miss whole numbers by less than this. */
const ROUNDING = 1e-9;

export class ScoreDistribution {
  readonly #sorted: Float64Array;
  /** Weight of a score and all before it. */
  readonly #cumulative: Float64Array;
  /** Kish's; the count of rows where weights are equal; less where rows of a group are alike. */
  readonly effectiveSize: number;

  /**
   * @param scores without NaN; higher is stranger
   * @param weights non-negative, one a score; null = all 1
   * @param effect how many of the rows, whose places it is given by ascending score, are worth one row of its own
   */
  constructor(
    scores: Float64Array,
    weights: Float64Array | null,
    effect: (ascending: Uint32Array) => number = () => 1,
  ) {
    const order = ascendingOrder(scores);
    const kept = weights === null ? order : order.filter((row) => weights[row] > 0);
    this.#sorted = valuesAt(scores, kept);
    this.#cumulative = new Float64Array(kept.length);
    this.effectiveSize = effectiveSize(scores.length, weights) / effect(kept);
    let sum = 0;
    for (let i = 0; i < kept.length; i++) {
      sum += weights === null ? 1 : weights[kept[i]];
      this.#cumulative[i] = sum;
    }
  }

  /** The highest score; NaN without any. */
  get highest(): number {
    return this.#sorted.at(-1) ?? Number.NaN;
  }

  /**
   * The least score that holds for at least `level` of rows to come; Infinity where the rows are too
   * few to say.
   */
  quantile(level: number): number {
    const count = this.#sorted.length;
    if (count === 0) return Number.POSITIVE_INFINITY;
    const total = this.#cumulative[count - 1];
    const needed = level * (1 + 1 / this.effectiveSize) * total * (1 - ROUNDING);
    if (needed > total) return Number.POSITIVE_INFINITY;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cumulative[middle] >= needed) high = middle;
      else low = middle + 1;
    }
    return this.#sorted[low];
  }
}

/** Kish's effective size of a weighted sample; 0 where all weights are 0. */
export function effectiveSize(rows: number, weights: Float64Array | null): number {
  if (weights === null) return rows;
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return squares === 0 ? 0 : (sum * sum) / squares;
}
