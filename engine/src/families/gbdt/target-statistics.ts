/**
 * Ordered target statistics of categorical features (Prokhorenkova et al., "CatBoost", NeurIPS'18,
 * §3.2): the mean target of a row's category among the rows before it in a random order, so that
 * no row's own target leaks into its feature.
 *
 * Each learned row gets its ordered statistic; every other row, as at prediction, the statistic
 * over all learned rows, which depends on the category alone. So a grown tree's cut of a statistic
 * is a set of categories. Of a feature whose categories have a bin each, the ensemble that is kept
 * reads the original bins; of one of more categories a column derived from their codes.
 */

import { kernelsOf } from "../../compute/kernels.ts";
import { deriveKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import { sortNumbers } from "../../compute/sort-numbers.ts";
import { assignBins } from "../../data/binning/assign-bins.ts";
import { bundleBins } from "../../data/binning/bundled-bins.ts";
import { MAX_BINS, numericEdges } from "../../data/binning/fit-binning.ts";
import type { BinnedData, FeatureBins } from "../../data/encoded.ts";
import {
  fitTargetStatistics,
  orderedTargetStatistics,
  type TargetStatisticsInput,
  targetOrder,
} from "../../data/target-statistics.ts";
import { codeCount } from "../../data/wide-columns.ts";
import { typeOf } from "../../tasks/index.ts";
import type { DerivedColumn } from "../../trees/derived-columns.ts";
import type { DerivedFeature } from "../../trees/source-features.ts";
import type { FitContext } from "../family.ts";
import { labelChannels } from "../label-channels.ts";

export interface FitBins {
  readonly binned: BinnedData;
  /**
   * One a feature of `binned`: the feature of the data that it is, or is derived from; or its place behind the
   * data's features, for those of `derived`. Null where `binned` is the data's.
   */
  readonly sources: readonly DerivedFeature[] | null;
  /** What trees read behind the data's features. */
  readonly derived: readonly DerivedColumn[];
}

export interface TargetStatisticsSettings {
  /** Categorical features of more bins are replaced by their statistics; null: none is. */
  readonly replaced: number | null;
  /** Weight of the mean over all rows, in rows. */
  readonly smoothing: number;
  /** Whether trees are grown that read bundles of features, where the data has any. */
  readonly readsBundles: boolean;
}

/** Statistics that bins are fitted on. */
const SAMPLE = 50_000;
/** Of many classes the largest alone have statistics of features with a code a category. */
const MOST_CLASSES = 8;

interface Statistic {
  readonly bins: FeatureBins;
  /** A bin a learned row, in the order of `trainRows`. */
  readonly learned: Uint8Array;
  /** The bin of each code, and last that of missing cells, for all other rows. */
  readonly table: Uint8Array;
  /** The bin of the mean over all rows. */
  readonly rest: number;
}

function statisticOf(input: TargetStatisticsInput, order: Uint32Array): Statistic {
  const { means, prior } = fitTargetStatistics(input);
  const ordered = orderedTargetStatistics(input, order, { prior });
  const bins = binsOf(ordered, order);
  const learned = new Uint8Array(ordered.length);
  const table = new Uint8Array(means.length);
  const rest = new Uint8Array(1);
  assignBins(ordered, bins, 0, learned);
  assignBins(means, bins, 0, table);
  assignBins(Float64Array.of(prior), bins, 0, rest);
  return { bins, learned, table, rest: rest[0] };
}

/** Bins of about equally many statistics, as those of numbers. */
function binsOf(ordered: Float64Array, order: Uint32Array): FeatureBins {
  // Every so many of a random order are a random sample.
  const step = Math.ceil(order.length / SAMPLE);
  const sample = new Float64Array(Math.floor((order.length - 1) / step) + 1);
  for (let i = 0; i < sample.length; i++) sample[i] = ordered[order[i * step]];
  const edges = numericEdges(sortNumbers(sample), MAX_BINS, 1);
  return { kind: "numeric", valueBins: edges.length + 1, edges };
}

/** A column of a fit's bins. */
interface FitColumn {
  readonly source: DerivedFeature;
  readonly bins: FeatureBins;
  fill(out: Uint8Array): void;
}

/**
 * The fit's own bins: a feature of more categories than bins has its statistics beside it, one, or for several
 * classes one a class; or is replaced by them, as others of many bins are where the settings say so. Of a statistic
 * rows that are neither learned from nor validated on stay unset.
 */
export function withTargetStatistics(
  context: FitContext,
  binned: BinnedData,
  scratch: Scratch,
  { replaced, smoothing, readsBundles }: TargetStatisticsSettings,
): FitBins {
  const { data, weights, trainRows, validRows } = context;
  const { arena } = scratch;
  const isReplaced = ({ kind, valueBins }: FeatureBins): boolean =>
    replaced !== null && kind === "categorical" && valueBins > replaced;
  const wide = new Map(binned.wide?.map(({ feature, codes }) => [feature, codes]));
  if (wide.size === 0 && !binned.bins.some(isReplaced)) {
    return { binned, sources: null, derived: [] };
  }
  const key = deriveKey(0, "target-order", context.key.low, context.key.high);
  const order = targetOrder(trainRows.length, key);
  const columns: FitColumn[] = [];
  const derived: DerivedColumn[] = [];
  const columnOf = (feature: number): Uint8Array =>
    arena.u8(binned.columnMajor + feature * binned.columnStride, data.rows);
  /** Codes of categories below `categories`, and that of missing cells. */
  const addStatistics = (
    codes: ArrayLike<number>,
    categories: number,
    channels: readonly Float64Array[],
    sourceOf: (statistic: Statistic) => DerivedFeature,
  ): void => {
    const given = new Float64Array(codes);
    for (const target of channels) {
      const input = { codes: given, categories, target, weights, rows: trainRows, smoothing };
      const statistic = statisticOf(input, order);
      const { bins, learned, table } = statistic;
      columns.push({
        ...{ bins, source: sourceOf(statistic) },
        fill(out) {
          for (let i = 0; i < learned.length; i++) out[trainRows[i]] = learned[i];
          validRows?.forEach((row) => {
            out[row] = table[given[row]];
          });
        },
      });
    }
  };
  const hasNarrow = binned.bins.some((bins, f) => isReplaced(bins) && !wide.has(f));
  const channels = hasNarrow ? labelChannels(context) : [];
  const ofLargest = wide.size > 0 ? labelChannels(context, largestClasses(context)) : [];
  binned.bins.forEach((bins, feature) => {
    const codes = wide.get(feature);
    if (!isReplaced(bins)) {
      columns.push({
        ...{ bins, source: { feature, table: null } },
        fill: (out) => out.set(columnOf(feature)),
      });
    } else if (codes === undefined) {
      addStatistics(columnOf(feature), bins.valueBins, channels, ({ table, rest }) => ({
        ...{ feature, table: ofAllBins(table, rest) },
      }));
    }
    if (codes === undefined) return;
    const { length } = binned.bins;
    const last = codeCount(data.features[feature]) - 1;
    addStatistics(arena.u16(codes, data.rows), last, ofLargest, ({ table }) => ({
      ...{ feature: length + derived.push({ feature, table }) - 1, table: null },
    }));
  });
  return {
    binned: laidOut(scratch, columns, data.rows, {
      columnStride: binned.columnStride,
      bundles: readsBundles && binned.bundled !== undefined,
    }),
    sources: columns.map(({ source }) => source),
    derived,
  };
}

function ofAllBins(table: Uint8Array, rest: number): Uint8Array {
  const all = new Uint8Array(256).fill(rest);
  all.set(table);
  return all;
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

function laidOut(
  scratch: Scratch,
  columns: readonly FitColumn[],
  rows: number,
  { columnStride, bundles }: { readonly columnStride: number; readonly bundles: boolean },
): BinnedData {
  const { arena } = scratch;
  const rowStride = Math.ceil(columns.length / 16) * 16;
  const rowMajor = scratch.allocate(rows * rowStride);
  const columnMajor = scratch.allocate(columns.length * columnStride);
  const byColumn = arena.u8(columnMajor, columns.length * columnStride).fill(0);
  for (const [j, { fill }] of columns.entries()) {
    fill(byColumn.subarray(j * columnStride, j * columnStride + rows));
  }
  const { transposeBins } = kernelsOf(arena.handle());
  transposeBins(columnMajor, columnStride, rows, 0, columns.length, rowMajor, rowStride);
  const bins = columns.map((column) => column.bins);
  const binned = { rowMajor, rowStride, columnMajor, columnStride, bins };
  const bundled = bundles
    ? bundleBins(arena, rows, binned, (bytes) => scratch.allocate(bytes))
    : null;
  return bundled ? { ...binned, bundled } : binned;
}
