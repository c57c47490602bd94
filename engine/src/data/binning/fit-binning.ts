/**
 * Where the bins of each feature lie, learned from a sample of rows.
 *
 * A numeric feature with no more distinct values than bins gets an edge at the exact midpoint of
 * neighbours; else bins of about equal count, heavy values having one of their own, each with at
 * least `minDataInBin` sampled rows. This is the greedy quantile binning of histogram boosting
 * (Ke et al., "LightGBM", NIPS 2017, §2.1, and its reference implementation).
 */

import { CounterRandom, type RandomKey } from "../../compute/random.ts";
import type { Feature, FeatureBins } from "../encoded.ts";
import type { FeatureColumns } from "../feature-columns.ts";
import { type CountedValues, countedValues, countSorted } from "./counted-values.ts";

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

/** Bins that are fitted on each column while it is at hand. */
export interface BinsToFit {
  readonly fit: BinningOptions;
  /** The encoded rows that they are fitted on, from the first. */
  readonly rows: number;
  /** Those of them that are looked at, ascending; null = all. */
  readonly sample: Uint32Array | null;
  of(feature: Feature, column: Float64Array): FeatureBins;
}

/** Given to what encodes, which need not carry how bins are fitted: who predicts has them. */
export function binsToFit(fit: BinningOptions, rows: number): BinsToFit {
  const sample = sampleRows(rows, fit);
  const of = (feature: Feature, column: Float64Array): FeatureBins =>
    fitFeatureBins(feature, column.subarray(0, rows), sample, fit);
  return { fit, rows, sample, of };
}

export function fitFeatureBins(
  feature: Feature,
  values: Float64Array,
  sample: Uint32Array | null,
  options: Omit<BinningOptions, "key">,
): FeatureBins {
  if (feature.kind === "categorical") {
    const valueBins = Math.max(1, Math.min(feature.categories.length, mostBins(options)));
    return { kind: "categorical", valueBins, edges: new Float64Array(0) };
  }
  return fitNumericBins(values, sample, options);
}

function mostBins({ maxBins = MAX_BINS }: Omit<BinningOptions, "key">): number {
  return Math.min(MAX_BINS, Math.max(2, maxBins));
}

/** As `fitFeatureBins`, of a numeric feature. */
export function fitNumericBins(
  values: Float64Array,
  sample: Uint32Array | null,
  options: Omit<BinningOptions, "key">,
): FeatureBins {
  const counted = countedValues(values, sample);
  const edges = edgesBetween(counted, mostBins(options), options.minDataInBin ?? MIN_DATA_IN_BIN);
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
  return edgesBetween(countSorted(sorted), maxBins, minDataInBin);
}

function edgesBetween(
  { distinct, counts, size }: CountedValues,
  maxBins: number,
  minDataInBin: number,
): Float64Array {
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
