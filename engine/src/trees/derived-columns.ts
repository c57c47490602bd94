/**
 * Columns of bins that trees read beside the data's own. They stand behind the data's features, for as long as rows are
 * predicted or explained. One of a categorical feature is a table over its codes, which puts together categories in
 * which a fit found the same; one of a numeric feature has edges of its own between the feature's values.
 */

import { Arena } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import { assignBins } from "../data/binning/assign-bins.ts";
import type { BinnedData, EncodedData, Feature, FeatureBins } from "../data/encoded.ts";
import { valueColumns } from "../data/value-columns.ts";
import { codeCount } from "../data/wide-columns.ts";

export interface TableColumn {
  /** The feature of the data, a categorical one. */
  readonly feature: number;
  /** Its bin, one a code of that feature (see `WideColumn`), below `DERIVED_BINS`. */
  readonly table: Uint8Array;
}

export interface EdgesColumn {
  /** The feature of the data, a numeric one, whose values are read. */
  readonly feature: number;
  /** As those of `FeatureBins`: ascending, 1 to 254. */
  readonly edges: Float64Array;
}

export type DerivedColumn = TableColumn | EdgesColumn;

/** No cell of a table's is missing: it says what missing ones mean. */
export const DERIVED_BINS = 255;

export function hasEdges(column: DerivedColumn): column is EdgesColumn {
  return "edges" in column;
}

/** Of tables: as if their values were the bins. */
const BINS: FeatureBins = {
  kind: "numeric",
  valueBins: DERIVED_BINS,
  edges: Float64Array.from({ length: DERIVED_BINS - 1 }, (_, bin) => bin + 0.5),
};

/** Rows that are laid out at once. */
const BLOCK_ROWS = 65_536;

export function withDerivedBins(
  bins: readonly FeatureBins[],
  derived: readonly DerivedColumn[],
): readonly FeatureBins[] {
  return derived.length === 0 ? bins : [...bins, ...derived.map(binsOf)];
}

function binsOf(column: DerivedColumn): FeatureBins {
  return hasEdges(column) ? binsBetween(column.edges) : BINS;
}

export function binsBetween(edges: Float64Array): FeatureBins {
  return { kind: "numeric", valueBins: edges.length + 1, edges };
}

/** @throws Error where a column is none of the features */
export function checkDerived(
  derived: readonly DerivedColumn[],
  features: readonly Feature[],
): void {
  for (const column of derived) {
    const { feature } = column;
    const source = feature >= 0 ? features.at(feature) : undefined;
    if (source === undefined || !isSound(column, source)) {
      throw new Error(`The derived column of feature ${feature} is damaged.`);
    }
  }
}

function isSound(column: DerivedColumn, source: Feature): boolean {
  if (!hasEdges(column)) {
    const { table } = column;
    const codes = codeCount(source);
    return codes > 0 && table.length === codes && table.every((bin) => bin < DERIVED_BINS);
  }
  const { edges } = column;
  if (source.kind !== "numeric" || edges.length === 0 || edges.length >= DERIVED_BINS) return false;
  return edges.every((edge, i) => (i === 0 ? !Number.isNaN(edge) : edge > edges[i - 1]));
}

/**
 * Runs `action` over the rows, some at a time, in order, as data that has the derived columns too; once where there
 * are none.
 *
 * @param rows of `data`; null = all
 * @param byRow whether the bins are to lie by row as well
 */
export function overDerived(
  data: EncodedData,
  derived: readonly DerivedColumn[],
  rows: Uint32Array | null,
  byRow: boolean,
  action: (data: EncodedData) => void,
): void {
  const { binned } = data;
  if (binned === null) throw new Error("Trees read bins, and this data was encoded without them.");
  const arena = Arena.attach(data.arena);
  const total = rows?.length ?? data.rows;
  for (let start = 0; start === 0 || start < total; start += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, total - start);
    const some = {
      isRun: rows === null,
      list: rows?.subarray(start, start + count) ?? ascending(start, count),
    };
    withScratch(arena, (scratch) => action(extend(scratch, data, binned, derived, some, byRow)));
  }
}

const ascending = (start: number, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, i) => start + i);

function extend(
  scratch: Scratch,
  data: EncodedData,
  binned: BinnedData,
  derived: readonly DerivedColumn[],
  { list, isRun }: { readonly list: Uint32Array; readonly isRun: boolean },
  byRow: boolean,
): EncodedData {
  const { arena } = scratch;
  const own = data.features.length;
  const width = own + derived.length;
  const count = list.length;
  const columnStride = Math.ceil(count / 16) * 16;
  const rowStride = Math.ceil(width / 16) * 16;
  const columnMajor = scratch.allocate(width * columnStride);
  const rowMajor = byRow ? scratch.allocate(count * rowStride) : null;
  for (let f = 0; f < own; f++) {
    const from = arena.u8(binned.columnMajor + f * binned.columnStride, data.rows);
    const to = arena.u8(columnMajor + f * columnStride, count);
    if (isRun) to.set(from.subarray(list[0], list[0] + count));
    else for (let i = 0; i < count; i++) to[i] = from[list[i]];
  }
  const valuesOf = valuesReader(data, list, isRun);
  for (const [j, column] of derived.entries()) {
    const to = arena.u8(columnMajor + (own + j) * columnStride, count);
    if (hasEdges(column)) assignBins(valuesOf(column.feature), binsOf(column), 0, to);
    else writeTable(arena, data, column, list, to);
  }
  if (rowMajor !== null) {
    const { transposeBins } = kernelsOf(data.arena);
    transposeBins(columnMajor, columnStride, count, 0, width, rowMajor, rowStride);
  }
  const bins = withDerivedBins(binned.bins, derived);
  return {
    arena: data.arena,
    rows: count,
    features: [...data.features, ...derived.map(({ feature }) => nameless(data.features[feature]))],
    binned: { rowMajor, rowStride, columnMajor, columnStride, bins },
    values: null,
  };
}

/** The values of a feature in the rows; those of the last one are kept, since its columns follow each other. */
function valuesReader(
  data: EncodedData,
  rows: Uint32Array,
  isRun: boolean,
): (feature: number) => Float64Array {
  let last = -1;
  let read: Float64Array = new Float64Array(0);
  return (feature) => {
    if (feature === last) return read;
    const own = valueColumns(data)(feature);
    last = feature;
    if (isRun) {
      read = own.subarray(rows[0], rows[0] + rows.length);
    } else {
      read = new Float64Array(rows.length);
      for (let i = 0; i < rows.length; i++) read[i] = own[rows[i]];
    }
    return read;
  };
}

/** The bin of each of the rows by the table of its codes. */
function writeTable(
  arena: Arena,
  { binned, rows: all }: EncodedData,
  { feature, table }: TableColumn,
  rows: Uint32Array,
  out: Uint8Array,
): void {
  const wide = binned?.wide?.find((each) => each.feature === feature);
  if (wide === undefined) throw new Error(`The data has no codes of feature ${feature}.`);
  const codes = arena.u16(wide.codes, all);
  for (let i = 0; i < rows.length; i++) out[i] = table[codes[rows[i]]];
}

const nameless = ({ name, column }: Feature): Feature => ({ kind: "numeric", name, column });

/** Sums what is said of the columns, one number each with the derived ones last, into their features. */
export function ofFeatures(
  derived: readonly DerivedColumn[],
  features: number,
  outputs: number,
  said: Float64Array,
): Float64Array {
  if (derived.length === 0) return said;
  const width = features + derived.length;
  const rows = said.length / (width * outputs);
  const sums = new Float64Array(rows * features * outputs);
  for (let row = 0; row < rows; row++) {
    const from = row * width * outputs;
    const to = row * features * outputs;
    sums.set(said.subarray(from, from + features * outputs), to);
    for (const [j, { feature }] of derived.entries()) {
      for (let k = 0; k < outputs; k++) {
        sums[to + feature * outputs + k] += said[from + (features + j) * outputs + k];
      }
    }
  }
  return sums;
}
