/**
 * Ordered target statistics of categorical features (Prokhorenkova et al., "CatBoost", NeurIPS'18,
 * §3.2): the mean target of a row's category among the rows before it in a random order, so that
 * no row's own target leaks into its feature.
 *
 * Each learned row gets its ordered statistic; every other row, as at prediction, the statistic
 * over all learned rows, which depends on the category alone. So a grown tree's cut of a statistic
 * is a set of categories, and the ensemble that is kept reads the original bins.
 */

import { deriveKey, type RandomKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { BinnedData, FeatureBins } from "../../data/encoded.ts";
import {
  fitTargetStatistics,
  orderedTargetStatistics,
  type TargetStatisticsInput,
} from "../../data/target-statistics.ts";
import type { DerivedFeature } from "../../trees/grower.ts";
import type { FitContext } from "../family.ts";
import { labelChannels } from "../label-channels.ts";

export interface FitBins {
  readonly binned: BinnedData;
  /** One a feature of `binned`: the feature of the data that it is, or is derived from. */
  readonly sources: readonly DerivedFeature[];
}

const MAX_BINS = 255;

/** At most 254 cuts at quantiles of the values, between distinct ones. */
function quantileCuts(values: Float64Array): Float64Array {
  const sorted = values.slice().sort();
  const cuts: number[] = [];
  for (let i = 1; i < MAX_BINS; i++) {
    const at = Math.floor((i * sorted.length) / MAX_BINS);
    if (at === 0 || sorted[at] === sorted[0]) continue;
    // The cut lies below `sorted[at]`, so that equal values share a bin.
    if (cuts.length === 0 || sorted[at] > cuts[cuts.length - 1]) cuts.push(sorted[at]);
  }
  return Float64Array.from(cuts);
}

/** How many cuts are ≤ the value. */
function binOf(cuts: Float64Array, value: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Statistic {
  readonly bins: FeatureBins;
  /** A bin a learned row, in the order of `trainRows`. */
  readonly learned: Uint8Array;
  /** The bin of each category's bin, for all other rows. */
  readonly table: Uint8Array;
}

function statisticOf(input: TargetStatisticsInput, key: RandomKey): Statistic {
  const ordered = orderedTargetStatistics(input, key);
  const { means, prior } = fitTargetStatistics(input);
  const cuts = quantileCuts(ordered);
  const { categories } = input;
  return {
    bins: { kind: "numeric", valueBins: cuts.length + 1, edges: cuts },
    learned: Uint8Array.from(ordered, (value) => binOf(cuts, value)),
    // The bin after the last category holds missing values, as the last mean does.
    table: Uint8Array.from({ length: 256 }, (_, bin) =>
      binOf(cuts, bin <= categories ? means[bin] : prior),
    ),
  };
}

/**
 * The fit's own bins, in which categorical features of more than `least` bins are replaced by
 * their statistics: one, or for several classes one a class. Rows that are neither learned from
 * nor validated on stay unset.
 */
export function withTargetStatistics(
  context: FitContext,
  scratch: Scratch,
  least: number,
  smoothing: number,
): FitBins {
  const { data, weights, trainRows, validRows } = context;
  const { arena } = scratch;
  const binned = data.binned!;
  const identity = binned.bins.map((_, feature): DerivedFeature => ({ feature, table: null }));
  const replaced = (bins: FeatureBins): boolean =>
    bins.kind === "categorical" && bins.valueBins > least;
  if (!binned.bins.some(replaced)) return { binned, sources: identity };
  const key = deriveKey(0, "target-order", context.key.low, context.key.high);
  const channels = labelChannels(context);
  const columnOf = (feature: number): Uint8Array =>
    arena.u8(binned.columnMajor + feature * binned.columnStride, data.rows);
  const sources: DerivedFeature[] = [];
  const bins: FeatureBins[] = [];
  const statistics: (Statistic | null)[] = [];
  binned.bins.forEach((described, feature) => {
    if (!replaced(described)) {
      sources.push(identity[feature]);
      bins.push(described);
      statistics.push(null);
      return;
    }
    const categories = described.valueBins;
    const codes = Float64Array.from(columnOf(feature), (bin) => (bin < categories ? bin : NaN));
    for (const channel of channels) {
      const statistic = statisticOf(
        { codes, categories, target: channel, weights, rows: trainRows, smoothing },
        key,
      );
      sources.push({ feature, table: statistic.table });
      bins.push(statistic.bins);
      statistics.push(statistic);
    }
  });
  const rowStride = Math.ceil(bins.length / 16) * 16;
  const rowMajor = scratch.allocate(data.rows * rowStride);
  const columnMajor = scratch.allocate(bins.length * binned.columnStride);
  const byRow = arena.u8(rowMajor, data.rows * rowStride).fill(0);
  statistics.forEach((statistic, j) => {
    const from = columnOf(sources[j].feature);
    const to = arena.u8(columnMajor + j * binned.columnStride, data.rows);
    if (statistic === null) to.set(from);
    else {
      trainRows.forEach((row, i) => {
        to[row] = statistic.learned[i];
      });
      validRows?.forEach((row) => {
        to[row] = statistic.table[from[row]];
      });
    }
    for (let row = 0; row < data.rows; row++) byRow[row * rowStride + j] = to[row];
  });
  return {
    binned: { rowMajor, rowStride, columnMajor, columnStride: binned.columnStride, bins },
    sources,
  };
}
