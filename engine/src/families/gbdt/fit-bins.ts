/**
 * The bins that one fit grows its trees on: the data's, with statistics of categories (`target-statistics.ts`) and
 * bins for each of a column's numbers (`exact-edges.ts`) in place of columns or beside them.
 *
 * Of a feature whose categories have a bin each, the ensemble that is kept reads the original bins; of one of more
 * categories, and of numbers with a bin each, columns that are derived from the data.
 */

import { kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";
import { assignBins } from "../../data/binning/assign-bins.ts";
import { bundleBins } from "../../data/binning/bundled-bins.ts";
import type { BinnedData, FeatureBins } from "../../data/encoded.ts";
import { valueColumns } from "../../data/value-columns.ts";
import { binsBetween, type DerivedColumn } from "../../trees/derived-columns.ts";
import type { DerivedFeature } from "../../trees/source-features.ts";
import type { FitContext } from "../family.ts";
import { exactEdges } from "./exact-edges.ts";
import { type TargetStatisticsSettings, targetStatistics } from "./target-statistics.ts";

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

export interface FitBinsSettings extends TargetStatisticsSettings {
  /** Numeric features of up to so many distinct values have a bin for each. */
  readonly exactBins: number;
  /** Whether trees are grown that read bundles of features, where the data has any. */
  readonly readsBundles: boolean;
}

/** A column of a fit's bins. */
interface FitColumn {
  readonly source: DerivedFeature;
  readonly bins: FeatureBins;
  fill(out: Uint8Array): void;
}

/** Of statistics, rows that are neither learned from nor validated on stay unset. */
export function fitBins(
  context: FitContext,
  binned: BinnedData,
  scratch: Scratch,
  settings: FitBinsSettings,
): FitBins {
  const { data } = context;
  const { arena } = scratch;
  const statistics = targetStatistics(context, binned, arena, settings);
  const exact = exactEdges(data, binned, context.trainRows, settings.exactBins);
  if (statistics.size === 0 && exact.size === 0) return { binned, sources: null, derived: [] };
  const columns: FitColumn[] = [];
  const derived: DerivedColumn[] = [];
  const behind = (column: DerivedColumn): DerivedFeature => ({
    ...{ feature: binned.bins.length + derived.push(column) - 1, table: null },
  });
  binned.bins.forEach((bins, feature) => {
    const pieces = exact.get(feature) ?? [];
    for (const edges of pieces) {
      const cut = binsBetween(edges);
      columns.push({
        ...{ bins: cut, source: behind({ feature, edges }) },
        fill: (out) => assignBins(valueColumns(data)(feature), cut, 0, out),
      });
    }
    const of = statistics.get(feature);
    if (pieces.length === 0 && !of?.replaces) {
      const own = binned.columnMajor + feature * binned.columnStride;
      columns.push({
        ...{ bins, source: { feature, table: null } },
        fill: (out) => out.set(arena.u8(own, data.rows)),
      });
    }
    for (const statistic of of?.statistics ?? []) {
      const { table, rest } = statistic;
      const source = of?.isWide
        ? behind({ feature, table })
        : { feature, table: ofAllBins(table, rest) };
      columns.push({ ...statistic, source });
    }
  });
  return {
    binned: laidOut(scratch, columns, data.rows, {
      columnStride: binned.columnStride,
      bundles: settings.readsBundles && binned.bundled !== undefined,
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
