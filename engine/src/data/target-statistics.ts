/**
 * Categories → numbers by the targets seen with them, smoothed towards the overall mean:
 * (Σ w·y + a·prior) / (Σ w + a).
 *
 * A row must not see its own target. Where the encoded rows are those fitted on, take the ordered
 * form: each row sees only rows before it in a random order (Prokhorenkova et al., "CatBoost",
 * NeurIPS 2018, §3.2; the means themselves: Micci-Barreca, SIGKDD Explorations 2001).
 */

import { CounterRandom, type RandomKey } from "../compute/random.ts";

export interface TargetStatisticsInput {
  /** A code a row, as in `EncodedData.values`; NaN, missing or unseen, counts as one category. */
  readonly codes: Float64Array;
  readonly categories: number;
  /** A number a row: the value, or 1 for rows of the class in question and 0 for others. */
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  /** The rows to learn from. */
  readonly rows: Uint32Array;
  /** Weight of the prior, in rows; ≥ 0. */
  readonly smoothing: number;
}

/** What the statistics of a column's categories are made of, whatever their smoothing. */
export interface TargetSums {
  /** The mean target. */
  readonly prior: number;
  /** Σ w·y and Σ w: one a category, and the last for missing cells. */
  readonly sums: Float64Array;
  readonly counts: Float64Array;
}

export interface TargetStatistics {
  /** The mean target; what a category without rows gets. */
  readonly prior: number;
  /** One a category, and the last for missing cells. */
  readonly means: Float64Array;
}

/** @param code of a cell @returns the place among the means; the last for what is missing or unseen */
export function categoryOf(code: number, categories: number): number {
  return Number.isNaN(code) ? categories : Math.min(code, categories);
}

function smoothed(sum: number, weight: number, prior: number, smoothing: number): number {
  const whole = weight + smoothing;
  return whole > 0 ? (sum + smoothing * prior) / whole : prior;
}

export function targetSums({
  codes,
  categories,
  target,
  weights,
  rows,
}: Omit<TargetStatisticsInput, "smoothing">): TargetSums {
  const sums = new Float64Array(categories + 1);
  const counts = new Float64Array(categories + 1);
  let total = 0;
  let totalWeight = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const slot = categoryOf(codes[row], categories);
    const weight = weights === null ? 1 : weights[row];
    const labelled = weight * target[row];
    sums[slot] += labelled;
    counts[slot] += weight;
    total += labelled;
    totalWeight += weight;
  }
  return { prior: totalWeight > 0 ? total / totalWeight : 0, sums, counts };
}

/**
 * The statistics of all `rows`: for encoding rows other than these.
 *
 * @param known of `targetSums`
 */
export function fitTargetStatistics(
  input: TargetStatisticsInput,
  { prior, sums, counts }: TargetSums = targetSums(input),
): TargetStatistics {
  const means = sums.map((sum, slot) => smoothed(sum, counts[slot], prior, input.smoothing));
  return { prior, means };
}

/** The random order of so many rows. */
export function targetOrder(rows: number, key: RandomKey): Uint32Array {
  return new CounterRandom(key).shuffle(Uint32Array.from({ length: rows }, (_, i) => i));
}

/**
 * Each row's statistic from the rows before it in a random order, one number an entry of `rows`.
 * The prior is the mean over all rows, as in the reference implementation.
 *
 * @param order of `targetOrder`
 * @param prior of `fitTargetStatistics`
 */
export function orderedTargetStatistics(
  input: TargetStatisticsInput,
  order: Uint32Array,
  { prior }: Pick<TargetStatistics, "prior"> = fitTargetStatistics(input),
): Float64Array<ArrayBuffer> {
  const { codes, categories, target, weights, rows, smoothing } = input;
  const sums = new Float64Array(categories + 1);
  const counts = new Float64Array(categories + 1);
  const out = new Float64Array(rows.length);
  for (let i = 0; i < order.length; i++) {
    const place = order[i];
    const row = rows[place];
    const slot = categoryOf(codes[row], categories);
    const weight = weights === null ? 1 : weights[row];
    out[place] = smoothed(sums[slot], counts[slot], prior, smoothing);
    sums[slot] += weight * target[row];
    counts[slot] += weight;
  }
  return out;
}
