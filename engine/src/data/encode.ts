/** Tables → features in shared memory, as values, as bins, or both. */

import { Arena, ArenaFullError, type Pointer } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import type { RandomKey } from "../compute/random.ts";
import { assignBins } from "./binning/assign-bins.ts";
import { bundleBins } from "./binning/bundled-bins.ts";
import type { ShareColumns } from "./binning/column-sharing.ts";
import {
  type Binning,
  type BinningOptions,
  type BinsToFit,
  fitFeatureBins,
  sampleRows,
} from "./binning/fit-binning.ts";
import type { BinnedData, EncodedData, Feature, FeatureBins, WideColumn } from "./encoded.ts";
import { featureColumns } from "./feature-columns.ts";
import type { FeatureSchema } from "./feature-schema.ts";
import type { DataWarning } from "./readers/reading.ts";
import { type Column, DataError, type Table } from "./table.ts";
import { assignCodes, isWide } from "./wide-columns.ts";

export interface EncodeOptions {
  /** Bins to make, or null for none. */
  readonly bins: Binning | BinsToFit | null;
  /** Whether to keep the values. */
  readonly values: boolean;
  /** Whether bins are laid out by row too, as growing and explaining trees read them; default true. */
  readonly byRow?: boolean;
  /** The rows of the table to encode, in this order; absent = all. */
  readonly rows?: Uint32Array | null;
  readonly onWarning?: (warning: DataWarning) => void;
  /** Has other threads share the binning. Of no matter for the bins. */
  readonly share?: ShareColumns | null;
  /** Hears of each column that is encoded, while it is at hand. */
  readonly onColumn?: (column: Column) => void;
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
  const { onWarning, onColumn } = options;
  const source = featureColumns(schema, table, options.rows ?? null, onWarning, onColumn);
  const { features, rows } = source;
  const { fitted, sample, binsOf } = binsBy(options.bins, features);
  const data = allocate(arena, rows, features, {
    ...{ bins: fitted, values: options.values, byRow: options.byRow ?? true },
  });
  const { bins } = options;
  const sharing =
    data.binned && fitted && options.share
      ? options.share(arena, {
          ...{ rows, binned: data.binned, values: data.values, bins: fitted, sample },
          fit: bins !== null && "of" in bins ? { ...bins.fit, rows: bins.rows } : null,
        })
      : null;
  try {
    let index = 0;
    for (const column of source.columns()) {
      const feature = features[index];
      if (data.values !== null) {
        const out = arena.f64(data.values + index * rows * 8, rows);
        out.set(column);
        if (feature.kind === "categorical") forgetUnseen(out, feature.categories.length);
      }
      const isTaken = feature.kind === "numeric" && sharing?.take(index, column);
      if (data.binned !== null && !isTaken) {
        const { columnMajor, columnStride } = data.binned;
        const bins = binsOf(index, column);
        const out = arena.u8(columnMajor + index * columnStride, rows);
        assignBins(column, bins, categoryCount(feature), out);
        if (isWide(feature, bins)) addWide(arena, data, index, column);
      }
      index++;
    }
    if (sharing) sharing.finish();
    else fillRowMajor(arena, rows, features.length, data.binned);
    sharing?.end();
  } catch (fault) {
    sharing?.end();
    freeEncoded(data);
    throw fault;
  }
  return data;
}

/** The bins of all features, which are there by the time that their columns were encoded. */
function binsBy(
  bins: EncodeOptions["bins"],
  features: readonly Feature[],
): {
  readonly fitted: FeatureBins[] | null;
  readonly sample: Uint32Array | null;
  readonly binsOf: (index: number, column: Float64Array) => FeatureBins;
} {
  if (bins === null || !("of" in bins)) {
    return {
      fitted: bins && [...bins],
      sample: null,
      binsOf(index) {
        const known = bins?.[index];
        if (known === undefined) throw new Error(`There are no bins for feature ${index}.`);
        return known;
      },
    };
  }
  const { sample } = bins;
  const fitted = new Array<FeatureBins>(features.length);
  return {
    fitted,
    sample,
    binsOf(index, column) {
      const one = bins.of(features[index], column);
      fitted[index] = one;
      return one;
    },
  };
}

/** Gives the memory of encoded data back to its arena. */
export function freeEncoded(data: EncodedData): void {
  const arena = Arena.attach(data.arena);
  const features = data.features.length;
  if (data.values !== null) arena.free(data.values, data.rows * features * 8);
  if (data.binned === null) return;
  arena.free(data.binned.columnMajor, data.binned.columnStride * features);
  const { rowMajor, rowStride, bundled, wide = [] } = data.binned;
  if (rowMajor !== null) arena.free(rowMajor, rowStride * data.rows);
  if (bundled) arena.free(bundled.rowMajor, bundled.rowStride * data.rows);
  for (const { codes } of wide) arena.free(codes, 2 * data.rows);
}

/** Keeps the codes of a feature beside its bins. */
function addWide(arena: Arena, data: Encoding, feature: number, values: Float64Array): void {
  const codes = arena.allocate(2 * data.rows);
  assignCodes(values, categoryCount(data.features[feature]), arena.u16(codes, data.rows));
  data.binned?.wide.push({ feature, codes });
}

/** The same data with bundles of its features beside it, where they save something; for growing trees on it. */
export function withBundles(data: EncodedData): EncodedData {
  if (data.binned === null || data.binned.rowMajor === null) return data;
  const bundled = bundleBins(Arena.attach(data.arena), data.rows, data.binned);
  return bundled === null ? data : { ...data, binned: { ...data.binned, bundled } };
}

/**
 * The same rows under other bins, made from the values: for folds that fit their own edges.
 * Free it with `freeRebinned`; the values are shared with `data`.
 */
export function rebin(data: EncodedData, binning: Binning): EncodedData {
  if (data.values === null) throw new Error("Only data with values can be binned again.");
  const arena = Arena.attach(data.arena);
  const made = allocate(arena, data.rows, data.features, {
    ...{ bins: binning, values: false, byRow: true },
  });
  if (made.binned === null) return data;
  const { columnMajor, columnStride } = made.binned;
  for (const [index, feature] of data.features.entries()) {
    const values = arena.f64(data.values + index * data.rows * 8, data.rows);
    const out = arena.u8(columnMajor + index * columnStride, data.rows);
    assignBins(values, binning[index], categoryCount(feature), out);
    if (isWide(feature, binning[index])) addWide(arena, made, index, values);
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

/** Encoded data to which wide columns are added as they come. */
interface Encoding extends EncodedData {
  readonly binned: (BinnedData & { readonly wide: WideColumn[] }) | null;
}

interface Allocated {
  readonly bins: Binning | null;
  readonly values: boolean;
  readonly byRow: boolean;
}

function allocate(
  arena: Arena,
  rows: number,
  features: readonly Feature[],
  { bins, values, byRow }: Allocated,
): Encoding {
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
            rowMajor: byRow ? take(rows * rowStride) : null,
            rowStride,
            columnMajor: take(features.length * columnStride),
            columnStride,
            bins,
            wide: [],
          };
    const pointer = values ? take(rows * features.length * 8) : null;
    return { arena: arena.handle(), rows, features, binned, values: pointer };
  } catch (fault) {
    for (const [pointer, bytes] of taken) arena.free(pointer, bytes);
    if (!(fault instanceof ArenaFullError)) throw fault;
    const binBytes =
      bins === null ? 0 : (byRow ? rows * rowStride : 0) + features.length * columnStride;
    const valueBytes = values ? rows * features.length * 8 : 0;
    throw new DataError(tooLarge(rows, features.length, binBytes, valueBytes), { cause: fault });
  }
}

/** What a table says that does not go into the memory of the kernels, which ends at 4 GiB. */
function tooLarge(rows: number, features: number, binBytes: number, valueBytes: number): string {
  const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const families =
    valueBytes === 0
      ? ""
      : `, or families that read bins alone, as gbdt does: their ${gibibytes(binBytes)} are all that these take`;
  return `${shownCount(rows)} rows of ${shownCount(features)} features take ${gibibytes(binBytes + valueBytes)} of a run's memory, more than there is of the 4 GiB that it may have; use fewer rows (\`filter\`), fewer columns (\`ignoreColumns\`)${families}.`;
}

const shownCount = (count: number): string => count.toLocaleString("en");

function fillRowMajor(
  arena: Arena,
  rows: number,
  features: number,
  binned: BinnedData | null,
): void {
  if (binned === null || binned.rowMajor === null) return;
  const { rowMajor, rowStride, columnMajor, columnStride } = binned;
  kernelsOf(arena.handle()).transposeBins(
    columnMajor,
    columnStride,
    rows,
    0,
    features,
    rowMajor,
    rowStride,
  );
}

function forgetUnseen(codes: Float64Array, categories: number): void {
  for (let i = 0; i < codes.length; i++) if (codes[i] >= categories) codes[i] = Number.NaN;
}
