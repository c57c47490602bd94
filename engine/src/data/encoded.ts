/**
 * Features as the families read them, in an arena that all workers share.
 *
 * Two forms of the same rows, each made only when a family of the run asks for it:
 * - bins: one byte a cell, row-major (rows padded to 16 bytes, for histograms) and column-major
 *   (for partitioning);
 * - values: f64, column-major; a categorical cell holds its category's code, NaN is missing.
 */

import type { ArenaHandle, Pointer } from "../compute/arena.ts";
import type { Frame } from "./frame.ts";

export interface NumericFeature {
  readonly kind: "numeric";
  /** Unique within the schema, e.g. `temp` or `dteday.month`. */
  readonly name: string;
  /** The column of the table it was made from. */
  readonly column: string;
}

export interface CategoricalFeature {
  readonly kind: "categorical";
  readonly name: string;
  readonly column: string;
  /** The category of each code, by descending count in the data the schema was fitted on. */
  readonly categories: readonly string[];
}

export type Feature = NumericFeature | CategoricalFeature;

/**
 * How a feature's values become bins.
 *
 * A numeric feature with ascending `edges` e₀ … e₍ₘ₋₁₎ has m + 1 value bins: v falls into the
 * first bin i with v ≤ eᵢ, or into bin m. A categorical feature's code c < `valueBins` - 1 is its
 * own bin and all rarer ones share the last; where every category has its own bin, unseen ones are
 * missing. The bin of a missing value is always `valueBins`, the one after the last value bin.
 */
export interface FeatureBins {
  readonly kind: "numeric" | "categorical";
  /** 1 … 255. */
  readonly valueBins: number;
  /** Numeric only; empty for categorical. */
  readonly edges: Float64Array;
}

/** Where the bins of a run lie. Plain data: it crosses threads as it is. */
export interface BinnedData {
  /** Null where they were made to be predicted by trees, which read columns. */
  readonly rowMajor: Pointer | null;
  /** Bytes from one row to the next: the feature count rounded up to a multiple of 16. */
  readonly rowStride: number;
  readonly columnMajor: Pointer;
  /** Bytes from one column to the next: the row count rounded up to a multiple of 16. */
  readonly columnStride: number;
  readonly bins: readonly FeatureBins[];
  /** Of data that trees are grown on: neighbouring features in one column; absent: none. */
  readonly bundled?: BundledBins;
  /** One of each feature whose categories share a bin (`wide-columns.ts`), ascending; absent: none. */
  readonly wide?: readonly WideColumn[];
}

/** Columns of bins that several features share, and of single ones (`binning/bundled-bins.ts`). Plain data, as `BinnedData`. */
export interface BundledBins {
  /** u8, row by row. A single feature's cell is its bin. */
  readonly rowMajor: Pointer;
  /** Bytes from one row to the next: the number of columns rounded up to a multiple of 16. */
  readonly rowStride: number;
  /** The first feature of each column; its others follow it. */
  readonly firsts: readonly number[];
  /** By feature: its usual bin where it shares a column, else -1. */
  readonly usualBins: readonly number[];
}

/** The codes of a categorical feature. */
export interface WideColumn {
  readonly feature: number;
  /**
   * u16 a row: the place of the cell's category in the schema; the number of categories, for one that it does not
   * have; one more for a missing cell.
   */
  readonly codes: Pointer;
}

/** The bins row by row, of data that was encoded with them. */
export function rowMajorOf({ rowMajor }: Pick<BinnedData, "rowMajor">): Pointer {
  if (rowMajor === null) throw new Error("This data was encoded without its rows of bins.");
  return rowMajor;
}

export interface EncodedData {
  readonly arena: ArenaHandle;
  readonly rows: number;
  readonly features: readonly Feature[];
  readonly binned: BinnedData | null;
  /** f64, column-major, `rows` values a feature; null when no family of the run reads values. */
  readonly values: Pointer | null;
  /** Of kinds of task whose rows are more than their features; absent for others. */
  readonly frame?: Frame;
}

/**
 * What contributions and importances are of beside the data's features, which stand first: one a
 * channel of sequences; of series their own past.
 */
export function frameFeatures(frame: Frame | undefined): Feature[] {
  if (frame === undefined) return [];
  const columns = frame.kind === "sequences" ? frame.columns : [frame.column];
  return columns.map((column) => ({ kind: "numeric", name: column, column }));
}
