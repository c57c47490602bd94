/** What encoding a table knows of threads that share its binning; who has none carries nothing of them. */

import type { Arena, Pointer } from "../../compute/arena.ts";
import type { BinnedData, FeatureBins } from "../encoded.ts";
import type { BinningOptions } from "./fit-binning.ts";

export interface SharedColumns {
  readonly rows: number;
  readonly binned: BinnedData;
  /** Where values stay, f64 a cell by columns; null: they do not. */
  readonly values: Pointer | null;
  /** How bins are fitted, on so many rows from the first, of which a sample is looked at; null: they are given. */
  readonly fit: (BinningOptions & { readonly rows: number }) | null;
  readonly sample: Uint32Array | null;
  /** Those that are given, or room for those that are fitted: one a feature. */
  readonly bins: FeatureBins[];
}

export interface ColumnSharing {
  /**
   * Takes a numeric column over; false where the caller is to bin it.
   *
   * @param values read before this returns; where values stay, they lie there already
   */
  take(index: number, values: Float64Array): boolean;
  /** Waits until all are binned, and lays bins out by row where that is asked for. @throws HelperLostError */
  finish(): void;
  /** Lets the others go, whatever has happened. */
  end(): void;
}

/** Null where it is not worth it. */
export type ShareColumns = (arena: Arena, columns: SharedColumns) => ColumnSharing | null;
