/**
 * Target encoding of a categorical feature: each category's mean target, drawn towards the overall
 * mean by `smoothing` rows (Micci-Barreca, "A preprocessing scheme for high-cardinality categorical
 * attributes", SIGKDD Explorations 3(1), 2001).
 *
 * A training row is encoded from the other parts of the training rows, so that it never sees its
 * own target; rows of prediction are encoded from all of them.
 */

import { CounterRandom, type RandomKey } from "../../compute/random.ts";

const PARTS = 5;

export interface TargetEncoding {
  /** Row-major, (categories + 1) × columns, missing last; from all training rows. */
  readonly encodings: Float64Array;
  /** Column by column, the training rows' encodings from the parts they are not in. */
  readonly training: readonly Float64Array[];
}

/**
 * @param codes a category's index, -1 for missing; one a training row
 * @param targets what is averaged, one array a column
 * @param weights the rows' weights
 */
export function encodeTarget(
  codes: Int32Array,
  categories: number,
  targets: readonly Float64Array[],
  weights: Float64Array,
  smoothing: number,
  key: RandomKey,
): TargetEncoding {
  const rows = codes.length;
  const slots = categories + 1;
  const random = new CounterRandom(key);
  const part = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) part[i] = i % PARTS;
  random.shuffle(part);
  const slot = (i: number): number => (codes[i] < 0 ? categories : codes[i]);
  const weight = new Float64Array((PARTS + 1) * slots);
  for (let i = 0; i < rows; i++) {
    weight[part[i] * slots + slot(i)] += weights[i];
    weight[PARTS * slots + slot(i)] += weights[i];
  }
  const partWeight = new Float64Array(PARTS + 1);
  for (let p = 0; p <= PARTS; p++) {
    for (let s = 0; s < slots; s++) partWeight[p] += weight[p * slots + s];
  }
  const encodings = new Float64Array(slots * targets.length);
  const training = targets.map((target, column) => {
    const sum = new Float64Array((PARTS + 1) * slots);
    for (let i = 0; i < rows; i++) {
      sum[part[i] * slots + slot(i)] += weights[i] * target[i];
      sum[PARTS * slots + slot(i)] += weights[i] * target[i];
    }
    const partSum = new Float64Array(PARTS + 1);
    for (let p = 0; p <= PARTS; p++) {
      for (let s = 0; s < slots; s++) partSum[p] += sum[p * slots + s];
    }
    const mean = (sumOf: number, weightOf: number): number => (weightOf > 0 ? sumOf / weightOf : 0);
    const overall = mean(partSum[PARTS], partWeight[PARTS]);
    for (let s = 0; s < slots; s++) {
      const all = PARTS * slots + s;
      encodings[s * targets.length + column] =
        (sum[all] + smoothing * overall) / (weight[all] + smoothing);
    }
    const out = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      const own = part[i] * slots + slot(i);
      const all = PARTS * slots + slot(i);
      const others = mean(
        partSum[PARTS] - partSum[part[i]],
        partWeight[PARTS] - partWeight[part[i]],
      );
      const otherSum = sum[all] - sum[own];
      const otherWeight = Math.max(0, weight[all] - weight[own]);
      out[i] = (otherSum + smoothing * others) / (otherWeight + smoothing);
    }
    return out;
  });
  return { encodings, training };
}
