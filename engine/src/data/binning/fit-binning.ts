/**
 * Where the bins of each feature lie, learned from a sample of rows.
 *
 * A numeric feature with no more distinct values than bins gets an edge at the exact midpoint of
 * neighbours; else bins of about equal count, heavy values having one of their own, each with at
 * least `minDataInBin` sampled rows. This is the greedy quantile binning of histogram boosting
 * (Ke et al., "LightGBM", NIPS 2017, §2.1, and its reference implementation).
 */

import { CounterRandom, type RandomKey } from "../../compute/random.ts";
import { sortNumbers } from "../../compute/sort-numbers.ts";
import type { CategoricalFeature, Feature, FeatureBins } from "../encoded.ts";
import type { FeatureColumns } from "../feature-columns.ts";

export const MAX_BINS = 255;
export const MIN_DATA_IN_BIN = 3;

export interface BinningOptions {
  /** Value bins a feature at most, 2 … 255. */
  readonly maxBins?: number;
  readonly minDataInBin?: number;
  /** Rows looked at, at most. */
  readonly sampleSize?: number;
  /** Draws the sample. */
  readonly key: RandomKey;
}

/** What says where the edges of a column lie. */
export type EdgeOptions = Pick<BinningOptions, "maxBins" | "minDataInBin">;

/** One entry a feature. */
export type Binning = readonly FeatureBins[];

/** Fits the bins of every feature; to fit on some rows, give the columns of those rows. */
export function fitBinning(source: FeatureColumns, options: BinningOptions): Binning {
  const sample = sampleRows(source.rows, options);
  const bins: FeatureBins[] = [];
  for (const values of source.columns()) {
    bins.push(fitFeatureBins(source.features[bins.length], values, sample, options));
  }
  return bins;
}

/** An ascending sample of rows without repetition; null where all are taken. */
export function sampleRows(rows: number, options: BinningOptions): Uint32Array | null {
  const size = options.sampleSize ?? 200_000;
  if (rows <= size) return null;
  // Selection sampling (Knuth, TAOCP vol. 2, §3.4.2, algorithm S).
  const random = new CounterRandom(options.key);
  const sample = new Uint32Array(size);
  let taken = 0;
  for (let row = 0; taken < size; row++) {
    if (random.nextFloat() * (rows - row) < size - taken) sample[taken++] = row;
  }
  return sample;
}

export function fitFeatureBins(
  feature: Feature,
  values: Float64Array,
  sample: Uint32Array | null,
  options: EdgeOptions,
): FeatureBins {
  return feature.kind === "categorical"
    ? categoricalBins(feature, options)
    : fitNumericBins(values, sample, options);
}

/** Of no matter how many rows have a category: they are in descending order of that. */
export function categoricalBins(
  { categories }: CategoricalFeature,
  options: EdgeOptions,
): FeatureBins {
  const valueBins = Math.max(1, Math.min(categories.length, mostBins(options)));
  return { kind: "categorical", valueBins, edges: new Float64Array(0) };
}

export function mostBins({ maxBins = MAX_BINS }: EdgeOptions): number {
  return Math.min(MAX_BINS, Math.max(2, maxBins));
}

/** As `fitFeatureBins`, of a numeric feature: what the kernels do of many rows (`column-binner.ts`). */
export function fitNumericBins(
  values: Float64Array,
  sample: Uint32Array | null,
  options: EdgeOptions,
): FeatureBins {
  const looked = sample === null ? values : Float64Array.from(sample, (row) => values[row]);
  const sorted = sortNumbers(looked.filter((value) => !Number.isNaN(value)));
  const edges = numericEdges(sorted, mostBins(options), options.minDataInBin ?? MIN_DATA_IN_BIN);
  return { kind: "numeric", valueBins: edges.length + 1, edges };
}

/** A number e with a ≤ e < b, the midpoint where one exists. */
function between(a: number, b: number): number {
  const middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

/**
 * Ascending edges, at most maxBins - 1 of them, for ascending values without NaN, which are
 * overwritten.
 */
export function numericEdges(
  sorted: Float64Array,
  maxBins: number,
  minDataInBin: number,
): Float64Array {
  const counts = new Uint32Array(sorted.length);
  // The distinct values take the front of the array, which is not read again there.
  const distinct = sorted;
  let size = 0;
  for (const value of sorted) {
    if (size === 0 || distinct[size - 1] !== value) distinct[size++] = value;
    counts[size - 1]++;
  }
  const edges: number[] = [];
  const last = size - 1;
  let held = 0;
  if (size <= maxBins) {
    for (let i = 0; i < last; i++) {
      held += counts[i];
      if (held < minDataInBin) continue;
      edges.push(between(distinct[i], distinct[i + 1]));
      held = 0;
    }
    return Float64Array.from(edges);
  }
  let total = 0;
  for (let i = 0; i < size; i++) total += counts[i];
  const affordable = Math.floor(total / Math.max(1, minDataInBin));
  const bins = Math.max(1, Math.min(maxBins, affordable));
  const heavyCount = total / bins;
  let lightRows = total;
  let lightBins = bins;
  for (let i = 0; i < size; i++) {
    if (counts[i] < heavyCount) continue;
    lightRows -= counts[i];
    lightBins--;
  }
  let mean = lightBins > 0 ? lightRows / lightBins : Number.POSITIVE_INFINITY;
  for (let i = 0; i < last && edges.length < bins - 1; i++) {
    const heavy = counts[i] >= heavyCount;
    if (!heavy) lightRows -= counts[i];
    held += counts[i];
    const beforeHeavy = counts[i + 1] >= heavyCount && held >= Math.max(1, mean / 2);
    if (!heavy && held < mean && !beforeHeavy) continue;
    edges.push(between(distinct[i], distinct[i + 1]));
    held = 0;
    if (heavy) continue;
    lightBins--;
    mean = lightBins > 0 ? lightRows / lightBins : Number.POSITIVE_INFINITY;
  }
  return Float64Array.from(edges);
}
