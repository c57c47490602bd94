/** Tables → features in shared memory, as values, as bins, or both. */

import { Arena, type Pointer } from "../compute/arena.ts";
import type { RandomKey } from "../compute/random.ts";
import { assignBins } from "./binning/assign-bins.ts";
import {
  type Binning,
  type BinningOptions,
  fitFeatureBins,
  sampleRows,
} from "./binning/fit-binning.ts";
import { transposeBins } from "./binning/transpose-bins.ts";
import type { BinnedData, EncodedData, Feature, FeatureBins } from "./encoded.ts";
import { expandColumn, featureColumns } from "./feature-columns.ts";
import { type FeatureSchema, schemaFeatures } from "./feature-schema.ts";
import { SchemaFitting } from "./fit-feature-schema.ts";
import type { DataWarning } from "./readers/reading.ts";
import { type Column, DataError, type Table } from "./table.ts";

export interface EncodeOptions {
  /** Bins to make, or null for none. */
  readonly bins: Binning | null;
  /** Whether to keep the values. */
  readonly values: boolean;
  /** The rows of the table to encode, in this order; absent = all. */
  readonly rows?: Uint32Array | null;
  readonly onWarning?: (warning: DataWarning) => void;
}

function categoryCount(feature: Feature): number {
  return feature.kind === "categorical" ? feature.categories.length : 0;
}

function strideOf(count: number): number {
  return Math.ceil(count / 16) * 16;
}

/**
 * Encodes a table into the arena, one column at a time. Free it with `freeEncoded`.
 *
 * @throws DataError where a column's values cannot be of the schema's kind
 */
export function encodeFeatures(
  schema: FeatureSchema,
  table: Table,
  arena: Arena,
  options: EncodeOptions,
): EncodedData {
  const source = featureColumns(schema, table, options.rows ?? null, options.onWarning);
  const { features, rows } = source;
  const data = allocate(arena, rows, features, options.bins, options.values);
  try {
    let index = 0;
    for (const column of source.columns()) {
      const feature = features[index];
      if (data.binned !== null) {
        const { columnMajor, columnStride, bins } = data.binned;
        const out = arena.u8(columnMajor + index * columnStride, rows);
        assignBins(column, bins[index], categoryCount(feature), out);
      }
      if (data.values !== null) {
        const out = arena.f64(data.values + index * rows * 8, rows);
        out.set(column);
        if (feature.kind === "categorical") forgetUnseen(out, feature.categories.length);
      }
      index++;
    }
  } catch (fault) {
    freeEncoded(data);
    throw fault;
  }
  if (data.binned !== null) fillRowMajor(arena, rows, features.length, data.binned);
  return data;
}

export interface StreamedColumnsOptions {
  readonly arena: Arena;
  /** Rows of every column. */
  readonly rows: number;
  readonly exclude?: readonly string[];
  readonly binning: BinningOptions;
}

export interface StreamedColumns {
  readonly schema: FeatureSchema;
  readonly binning: Binning;
  readonly data: EncodedData;
  /** The excluded columns, as they came. */
  readonly excluded: ReadonlyMap<string, Column>;
}

/**
 * Fits the schema and the bins and bins the rows, taking each column once and holding none:
 * memory is the bins and one column. For data whose columns come one by one (`parquetColumns`).
 */
export async function binStreamedColumns(
  columns: AsyncIterable<Column> | Iterable<Column>,
  options: StreamedColumnsOptions,
): Promise<StreamedColumns> {
  const { arena, rows } = options;
  const exclude = new Set(options.exclude ?? []);
  const fitting = new SchemaFitting({ exclude: [...exclude] });
  const sample = sampleRows(rows, options.binning);
  const excluded = new Map<string, Column>();
  const binned: Uint8Array[] = [];
  const bins: FeatureBins[] = [];
  const out = new Float64Array(rows);
  for await (const column of columns) {
    const length = column.kind === "categorical" ? column.codes.length : column.values.length;
    if (length !== rows) {
      throw new DataError(
        `Column ${JSON.stringify(column.name)} has ${length} rows, but ${rows} were promised.`,
        { column: column.name },
      );
    }
    if (exclude.has(column.name)) excluded.set(column.name, column);
    const source = fitting.add(column);
    if (source === null) continue;
    const features = schemaFeatures([source]);
    let index = 0;
    for (const values of expandColumn(source, column, null, out, () => {})) {
      const feature = features[index++];
      const fitted = fitFeatureBins(feature, values, sample, options.binning);
      const bytes = new Uint8Array(rows);
      assignBins(values, fitted, categoryCount(feature), bytes);
      bins.push(fitted);
      binned.push(bytes);
    }
  }
  const schema = fitting.finish();
  const features = schemaFeatures(schema.columns);
  const data = allocate(arena, rows, features, bins, false);
  if (data.binned !== null) {
    const { columnMajor, columnStride } = data.binned;
    // Each column leaves the heap as it enters the arena.
    for (let index = 0; index < features.length; index++) {
      arena.u8(columnMajor + index * columnStride, rows).set(binned[index]);
      binned[index] = new Uint8Array(0);
    }
    fillRowMajor(arena, rows, features.length, data.binned);
  }
  return { schema, binning: bins, data, excluded };
}

/** Gives the memory of encoded data back to its arena. */
export function freeEncoded(data: EncodedData): void {
  const arena = Arena.attach(data.arena);
  const features = data.features.length;
  if (data.values !== null) arena.free(data.values, data.rows * features * 8);
  if (data.binned === null) return;
  arena.free(data.binned.columnMajor, data.binned.columnStride * features);
  arena.free(data.binned.rowMajor, data.binned.rowStride * data.rows);
}

/**
 * The same rows under other bins, made from the values: for folds that fit their own edges.
 * Free it with `freeRebinned`; the values are shared with `data`.
 */
export function rebin(data: EncodedData, binning: Binning): EncodedData {
  if (data.values === null) throw new Error("Only data with values can be binned anew.");
  const arena = Arena.attach(data.arena);
  const made = allocate(arena, data.rows, data.features, binning, false);
  if (made.binned === null) return data;
  const { columnMajor, columnStride } = made.binned;
  for (const [index, feature] of data.features.entries()) {
    const values = arena.f64(data.values + index * data.rows * 8, data.rows);
    const out = arena.u8(columnMajor + index * columnStride, data.rows);
    assignBins(values, binning[index], categoryCount(feature), out);
  }
  fillRowMajor(arena, data.rows, data.features.length, made.binned);
  return { ...made, values: data.values };
}

/** Frees the bins of `rebin`, not the values they share. @internal */
export function freeRebinned(data: EncodedData): void {
  freeEncoded({ ...data, values: null });
}

/** Fits bins on some rows of encoded values. */
export function fitBinningOfValues(
  data: EncodedData,
  rows: Uint32Array | null,
  options: BinningOptions & { readonly key: RandomKey },
): Binning {
  const values = data.values;
  if (values === null) throw new Error("Bins are fitted on values, which this data lacks.");
  const arena = Arena.attach(data.arena);
  const count = rows?.length ?? data.rows;
  const sample = sampleRows(count, options);
  const gathered = new Float64Array(count);
  return data.features.map((feature, index) => {
    const column = arena.f64(values + index * data.rows * 8, data.rows);
    if (rows === null) gathered.set(column);
    else for (let i = 0; i < count; i++) gathered[i] = column[rows[i]];
    return fitFeatureBins(feature, gathered, sample, options);
  });
}

function allocate(
  arena: Arena,
  rows: number,
  features: readonly Feature[],
  bins: Binning | null,
  values: boolean,
): EncodedData {
  if (bins !== null && bins.length !== features.length) {
    throw new Error(`There are ${bins.length} bins for ${features.length} features.`);
  }
  const rowStride = strideOf(features.length);
  const columnStride = strideOf(rows);
  const taken: [Pointer, number][] = [];
  const take = (bytes: number): Pointer => {
    const pointer = arena.allocate(bytes);
    taken.push([pointer, bytes]);
    return pointer;
  };
  try {
    const binned =
      bins === null
        ? null
        : {
            rowMajor: take(rows * rowStride),
            rowStride,
            columnMajor: take(features.length * columnStride),
            columnStride,
            bins,
          };
    const pointer = values ? take(rows * features.length * 8) : null;
    return { arena: arena.handle(), rows, features, binned, values: pointer };
  } catch (fault) {
    for (const [pointer, bytes] of taken) arena.free(pointer, bytes);
    throw fault;
  }
}

function fillRowMajor(arena: Arena, rows: number, features: number, binned: BinnedData): void {
  const { rowMajor, rowStride, columnMajor, columnStride } = binned;
  transposeBins(
    arena.u8(columnMajor, features * columnStride),
    columnStride,
    rows,
    features,
    arena.u8(rowMajor, rows * rowStride),
    rowStride,
  );
}

function forgetUnseen(codes: Float64Array, categories: number): void {
  for (let i = 0; i < codes.length; i++) if (codes[i] >= categories) codes[i] = Number.NaN;
}
