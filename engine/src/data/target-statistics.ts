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

export interface TargetStatistics {
  /** The mean target; what a category without rows gets. */
  readonly prior: number;
  /** One a category, and the last for missing cells. */
  readonly means: Float64Array;
}

function slotOf(codes: Float64Array, row: number, categories: number): number {
  const code = codes[row];
  return Number.isNaN(code) ? categories : Math.min(code, categories);
}

function smoothed(sum: number, weight: number, prior: number, smoothing: number): number {
  const whole = weight + smoothing;
  return whole > 0 ? (sum + smoothing * prior) / whole : prior;
}

class Sums {
  readonly sum: Float64Array;
  readonly weight: Float64Array;
  total = 0;
  totalWeight = 0;

  constructor(categories: number) {
    this.sum = new Float64Array(categories + 1);
    this.weight = new Float64Array(categories + 1);
  }

  add({ codes, categories, target, weights }: TargetStatisticsInput, row: number): void {
    const slot = slotOf(codes, row, categories);
    const weight = weights === null ? 1 : weights[row];
    this.sum[slot] += weight * target[row];
    this.weight[slot] += weight;
    this.total += weight * target[row];
    this.totalWeight += weight;
  }

  get prior(): number {
    return this.totalWeight > 0 ? this.total / this.totalWeight : 0;
  }
}

/** The statistics of all `rows`: for encoding rows other than these. */
export function fitTargetStatistics(input: TargetStatisticsInput): TargetStatistics {
  const sums = new Sums(input.categories);
  for (const row of input.rows) sums.add(input, row);
  const { prior } = sums;
  const means = sums.sum.map((sum, slot) =>
    smoothed(sum, sums.weight[slot], prior, input.smoothing),
  );
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
 */
export function orderedTargetStatistics(
  input: TargetStatisticsInput,
  order: Uint32Array,
): Float64Array<ArrayBuffer> {
  const { codes, categories, rows, smoothing } = input;
  const whole = new Sums(categories);
  for (const row of rows) whole.add(input, row);
  const { prior } = whole;
  const seen = new Sums(categories);
  const out = new Float64Array(rows.length);
  for (const place of order) {
    const row = rows[place];
    const slot = slotOf(codes, row, categories);
    out[place] = smoothed(seen.sum[slot], seen.weight[slot], prior, smoothing);
    seen.add(input, row);
  }
  return out;
}
