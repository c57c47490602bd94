/**
 * Ordered target statistics of categorical features (Prokhorenkova et al., "CatBoost", NeurIPS'18,
 * §3.2): the mean target of a row's category among the rows before it in a random order, so that
 * no row's own target leaks into its feature.
 *
 * Each learned row gets its ordered statistic; every other row, as at prediction, the statistic
 * over all learned rows, which depends on the category alone. So a grown tree's cut of a statistic
 * is a set of categories.
 *
 * The mean of all rows weighs as many rows as the labels themselves say (`data/category-sums.ts`), where CatBoost has
 * one row. Beside bins there is no statistic of categories that the labels do not tell apart.
 */

import type { Arena } from "../../compute/arena.ts";
import { deriveKey } from "../../compute/random.ts";
import { sortNumbers } from "../../compute/sort-numbers.ts";
import { assignBins } from "../../data/binning/assign-bins.ts";
import { MAX_BINS, numericEdges } from "../../data/binning/fit-binning.ts";
import { CategorySums } from "../../data/category-sums.ts";
import type { BinnedData, FeatureBins } from "../../data/encoded.ts";
import {
  categoryOf,
  fitTargetStatistics,
  orderedTargetStatistics,
  type TargetStatisticsInput,
  type TargetSums,
  targetOrder,
  targetSums,
} from "../../data/target-statistics.ts";
import { codeCount } from "../../data/wide-columns.ts";
import { typeOf } from "../../tasks/index.ts";
import { binsBetween } from "../../trees/derived-columns.ts";
import type { FitContext } from "../family.ts";
import { labelChannels } from "../label-channels.ts";

export interface TargetStatisticsSettings {
  readonly encoding: CategoricalEncoding;
  /** Categorical features of up to so many bins have no statistics. */
  readonly mostBins: number;
}

/**
 * Of categorical features: their bins, with statistics beside those of more categories than bins; statistics beside
 * all; or statistics in place of their bins.
 */
export const CATEGORICAL_ENCODINGS = ["native", "both", "ordered_target"] as const;
export type CategoricalEncoding = (typeof CATEGORICAL_ENCODINGS)[number];

/** Weights of the mean over all rows, in rows: where nothing lies within categories one row tells not all of them. */
const LEAST_SMOOTHING = 0.1;
const MOST_SMOOTHING = 1000;

/** Statistics that bins are fitted on. */
const SAMPLE = 50_000;
/** Of many classes the largest alone have statistics of features with a code a category. */
const MOST_CLASSES = 8;

export interface Statistic {
  readonly bins: FeatureBins;
  /** The bin of each code, and last that of missing cells, for all rows that are not learned from. */
  readonly table: Uint8Array;
  /** The bin of the mean over all rows. */
  readonly rest: number;
  /** Writes the bins of the rows that are learned from or validated on. */
  fill(out: Uint8Array): void;
}

/** Of one feature; one statistic, or for several classes one a class. */
export interface FeatureStatistics {
  /** Whether they take the feature's place. */
  readonly replaces: boolean;
  /** Whether its categories have a code each beside their bins: the statistics are of those. */
  readonly isWide: boolean;
  readonly statistics: readonly Statistic[];
}

/** By feature: of those of more categories than bins, and of those that are replaced. */
export function targetStatistics(
  context: FitContext,
  binned: BinnedData,
  arena: Arena,
  { encoding, mostBins }: TargetStatisticsSettings,
): ReadonlyMap<number, FeatureStatistics> {
  const { data, weights, trainRows: rows, validRows } = context;
  const wide = new Map(binned.wide?.map(({ feature, codes }) => [feature, codes]));
  const isTold = ({ kind, valueBins }: FeatureBins): boolean =>
    encoding !== "native" && kind === "categorical" && valueBins > mostBins;
  const found = new Map<number, FeatureStatistics>();
  if (wide.size === 0 && !binned.bins.some(isTold)) return found;
  const key = deriveKey(0, "target-order", context.key.low, context.key.high);
  const order = targetOrder(rows.length, key);
  const statisticsOf = (
    codes: ArrayLike<number>,
    categories: number,
    channels: readonly Float64Array[],
    replaces: boolean,
  ): Statistic[] => {
    const given = new Float64Array(codes);
    const inputs = channels.map((target) => {
      const input = { codes: given, categories, target, weights, rows };
      const known = targetSums(input);
      return { input, known, smoothing: smoothingOf(input, known) };
    });
    // What takes a column's place is there, even if it tells nothing.
    const isNeeded = replaces && inputs.every(({ smoothing }) => smoothing === null);
    return inputs.flatMap(({ input, known, smoothing: own }) => {
      const smoothing = own ?? (isNeeded ? MOST_SMOOTHING : null);
      if (smoothing === null) return [];
      return [statisticOf({ ...input, smoothing }, known, order, validRows)];
    });
  };
  const hasNarrow = binned.bins.some((bins, f) => isTold(bins) && !wide.has(f));
  const channels = hasNarrow ? labelChannels(context) : [];
  const ofLargest = wide.size > 0 ? labelChannels(context, largestClasses(context)) : [];
  binned.bins.forEach((bins, feature) => {
    const isOwn = isTold(bins);
    const replaces = isOwn && encoding === "ordered_target";
    const codes = wide.get(feature);
    if (codes !== undefined) {
      const last = codeCount(data.features[feature]) - 1;
      const statistics = statisticsOf(arena.u16(codes, data.rows), last, ofLargest, replaces);
      found.set(feature, { replaces, isWide: true, statistics });
    } else if (isOwn) {
      const own = arena.u8(binned.columnMajor + feature * binned.columnStride, data.rows);
      const statistics = statisticsOf(own, bins.valueBins, channels, replaces);
      found.set(feature, { replaces, isWide: false, statistics });
    }
  });
  return found;
}

/** Weight of the mean over all rows; null where categories tell nothing. */
function smoothingOf(
  { codes, categories, target, weights, rows }: Omit<TargetStatisticsInput, "smoothing">,
  { prior }: TargetSums,
): number | null {
  const sums = new CategorySums(categories + 1);
  for (const row of rows) {
    sums.add(categoryOf(codes[row], categories), target[row] - prior, weights?.[row] ?? 1);
  }
  const ratio = sums.varianceRatio();
  return ratio === null ? null : Math.min(MOST_SMOOTHING, Math.max(LEAST_SMOOTHING, ratio));
}

function statisticOf(
  input: TargetStatisticsInput,
  known: TargetSums,
  order: Uint32Array,
  validRows: Uint32Array | null,
): Statistic {
  const { codes, rows } = input;
  const { means, prior } = fitTargetStatistics(input, known);
  const ordered = orderedTargetStatistics(input, order, { prior });
  const bins = binsOf(ordered, order);
  const learned = new Uint8Array(ordered.length);
  const table = new Uint8Array(means.length);
  const rest = new Uint8Array(1);
  assignBins(ordered, bins, 0, learned);
  assignBins(means, bins, 0, table);
  assignBins(Float64Array.of(prior), bins, 0, rest);
  return {
    bins,
    table,
    rest: rest[0],
    fill(out) {
      for (let i = 0; i < learned.length; i++) out[rows[i]] = learned[i];
      validRows?.forEach((row) => {
        out[row] = table[codes[row]];
      });
    },
  };
}

/** Bins of about equally many statistics, as those of numbers. */
function binsOf(ordered: Float64Array, order: Uint32Array): FeatureBins {
  // Every so many of a random order are a random sample.
  const step = Math.ceil(order.length / SAMPLE);
  const sample = new Float64Array(Math.floor((order.length - 1) / step) + 1);
  for (let i = 0; i < sample.length; i++) sample[i] = ordered[order[i * step]];
  return binsBetween(numericEdges(sortNumbers(sample), MAX_BINS, 1));
}

/** Those with the most labels to learn from, ascending. */
function largestClasses({ task, target, softTarget, trainRows }: FitContext): readonly number[] {
  const count = task.classes.length;
  const all = [...task.classes.keys()];
  if (typeOf(task).link !== "log_softmax" || count <= MOST_CLASSES) return all;
  const labels = new Float64Array(count);
  for (const row of trainRows) {
    if (softTarget === null) labels[target[row]]++;
    else for (const k of all) labels[k] += softTarget[row * count + k];
  }
  return all
    .toSorted((a, b) => labels[b] - labels[a] || a - b)
    .slice(0, MOST_CLASSES)
    .toSorted((a, b) => a - b);
}
