/** Tables → features in shared memory, as values, as bins, or both. */

import { Arena, ArenaFullError, type Pointer } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import { assignBins } from "./binning/assign-bins.ts";
import { bundleBins } from "./binning/bundled-bins.ts";
import { type BinsToFit, ColumnBinner, type ColumnBinning } from "./binning/column-binner.ts";
import type { ColumnSharing, ShareColumns } from "./binning/column-sharing.ts";
import { type Binning, type BinningOptions, sampleRows } from "./binning/fit-binning.ts";
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
  const given = options.bins;
  let fitting: BinsToFit | null = null;
  let bins: FeatureBins[] | null = null;
  if (given !== null && "begin" in given) {
    fitting = given;
    bins = new Array<FeatureBins>(features.length);
  } else if (given !== null) bins = [...given];
  const data = allocate(arena, rows, features, {
    ...{ bins, values: options.values, byRow: options.byRow ?? true },
  });
  let binning: ColumnBinning | null = null;
  let sharing: ColumnSharing | null = null;
  try {
    binning = fitting?.begin(arena) ?? null;
    if (data.binned && bins && options.share) {
      sharing = options.share(arena, {
        ...{
          rows,
          binned: data.binned,
          values: data.values,
          bins,
          sample: fitting?.sample ?? null,
        },
        fit: fitting && { ...fitting.fit, rows: fitting.rows },
      });
    }
    let index = 0;
    for (const column of source.columns()) {
      const feature = features[index];
      if (data.values !== null) {
        const out = arena.f64(data.values + index * rows * 8, rows);
        out.set(column);
        if (feature.kind === "categorical") forgetUnseen(out, feature.categories.length);
      }
      const isTaken = feature.kind === "numeric" && sharing?.take(index, column);
      if (data.binned !== null && bins !== null && !isTaken) {
        const out = data.binned.columnMajor + index * data.binned.columnStride;
        if (binning) bins[index] = binning.bin(feature, column, out);
        else assignBins(column, bins[index], categoryCount(feature), arena.u8(out, rows));
        if (isWide(feature, bins[index])) addWide(arena, data, index, column);
      }
      index++;
    }
    if (sharing) sharing.finish();
    else fillRowMajor(arena, rows, features.length, data.binned);
  } catch (fault) {
    sharing?.end();
    binning?.end();
    freeEncoded(data);
    throw fault;
  }
  sharing?.end();
  binning?.end();
  return data;
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
 * The same rows under bins that are fitted on some of them, made from the values: for folds that fit their own
 * edges. Free it with `freeRebinned`; the values are shared with `data`.
 */
export function rebin(data: EncodedData, rows: Uint32Array, options: BinningOptions): EncodedData {
  const { features, values: kept } = data;
  if (kept === null) throw new Error("Only data with values can be binned again.");
  const arena = Arena.attach(data.arena);
  const bins = new Array<FeatureBins>(features.length);
  const made = allocate(arena, data.rows, features, { bins, values: false, byRow: true });
  if (made.binned === null) return data;
  const { columnMajor, columnStride } = made.binned;
  const looked = sampleRows(rows.length, options)?.map((place) => rows[place]) ?? rows;
  const binner = new ColumnBinner(arena, looked.length);
  for (const [index, feature] of features.entries()) {
    const values = arena.f64(kept + index * data.rows * 8, data.rows);
    const out = columnMajor + index * columnStride;
    bins[index] = binner.bin(feature, values, values, looked, options, out);
    if (isWide(feature, bins[index])) addWide(arena, made, index, values);
  }
  binner.release();
  fillRowMajor(arena, data.rows, features.length, made.binned);
  return { ...made, values: kept };
}

/** Frees the bins of `rebin`, not the values they share. @internal */
export function freeRebinned(data: EncodedData): void {
  freeEncoded({ ...data, values: null });
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
