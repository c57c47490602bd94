/** Where the entries of the features that a tree may use lie within its histograms, and which columns of bins fill them. */

import type { Arena, Pointer } from "../compute/arena.ts";
import type { Scratch } from "../compute/scratch.ts";
import { membersOf } from "../data/binning/bundled-bins.ts";
import type { BinnedData } from "../data/encoded.ts";

/** Room for what kernels read: `FEATURE_LIST`, `OFFSETS`, `COLUMN_LIST` and `COLUMN_OFFSETS` of `kernels/assembly/growing/layout.ts`. */
export interface HistogramPlaces {
  readonly features: Pointer;
  readonly offsets: Pointer;
  readonly columns: Pointer;
  readonly columnOffsets: Pointer;
}

/** Of the data's features, one behind another; of those that share a column, all or none. */
export class HistogramLayout {
  readonly #entries: readonly number[];
  /** Features of each column, if some share one. */
  readonly #columns: readonly { readonly first: number; readonly members: number }[] | null;
  readonly #columnOf: Uint32Array;
  readonly #columnBytes: number;

  /** @param readsBundles whether features that share a column are read from it */
  constructor({ bins, bundled }: BinnedData, readsBundles: boolean) {
    this.#entries = bins.map(({ valueBins }) => valueBins + 1);
    this.#columnOf = new Uint32Array(bins.length);
    this.#columnBytes = bundled ? 4 * bins.length : 0;
    this.#columns =
      bundled && readsBundles
        ? bundled.firsts.map((first, column) => {
            const members = membersOf(bundled.firsts, column, bins.length);
            this.#columnOf.fill(column, first, first + members);
            return { first, members };
          })
        : null;
  }

  /** As much for data with bundles whether these are read or not. */
  allocate(scratch: Scratch): HistogramPlaces {
    const bytes = 4 * this.#entries.length;
    const shared = this.#columnBytes;
    return {
      features: scratch.allocate(bytes),
      offsets: scratch.allocate(bytes),
      columns: scratch.allocate(shared),
      columnOffsets: scratch.allocate(shared),
    };
  }

  /**
   * @param features ascending
   * @returns entries of one histogram, and columns that are added up
   */
  layOut(
    arena: Arena,
    features: Int32Array,
    places: HistogramPlaces,
  ): { readonly entries: number; readonly columns: number } {
    const count = this.#entries.length;
    const offsets = arena.u32(places.offsets, count);
    arena.i32(places.features, count).set(features);
    let entries = 0;
    if (this.#columns === null) {
      for (const feature of features) {
        offsets[feature] = entries;
        entries += this.#entries[feature];
      }
      return { entries, columns: 0 };
    }
    const columns = arena.u32(places.columns, count);
    const columnOffsets = arena.u32(places.columnOffsets, count);
    let listed = 0;
    for (const feature of features) {
      const column = this.#columnOf[feature];
      if (listed > 0 && columns[listed - 1] === column) continue;
      columns[listed++] = column;
      columnOffsets[column] = entries;
      const { first, members } = this.#columns[column];
      for (let f = first; f < first + members; f++) {
        offsets[f] = entries;
        entries += this.#entries[f];
      }
    }
    return { entries, columns: listed };
  }
}
