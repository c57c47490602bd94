/**
 * Bins numeric columns on kernels, one after the other in the same working memory. Small columns, and all of them
 * where there is no room for that, are binned without, to the same bins.
 */

import { type Arena, ArenaFullError, type Pointer } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { Scratch } from "../../compute/scratch.ts";
import * as layout from "../../kernels/assembly/binning/layout.ts";
import type { Feature, FeatureBins } from "../encoded.ts";
import { assignBins } from "./assign-bins.ts";
import {
  type BinningOptions,
  categoricalBins,
  type EdgeOptions,
  fitNumericBins,
  MIN_DATA_IN_BIN,
  mostBins,
  sampleRows,
} from "./fit-binning.ts";

/** Bins that are fitted on each column while it is at hand. */
export interface BinsToFit {
  readonly fit: BinningOptions;
  /** The encoded rows that they are fitted on, from the first. */
  readonly rows: number;
  /** Those of them that are looked at, ascending; null = all. */
  readonly sample: Uint32Array | null;
  begin(arena: Arena): ColumnBinning;
}

export interface ColumnBinning {
  /** Fits the bins of a column, and writes those of its values. @param out u8 × values, in the arena */
  bin(feature: Feature, column: Float64Array, out: Pointer): FeatureBins;
  end(): void;
}

/** Given to what encodes, which need not carry how bins are fitted: who predicts has them. */
export function binsToFit(fit: BinningOptions, rows: number): BinsToFit {
  const sample = sampleRows(rows, fit);
  return {
    ...{ fit, rows, sample },
    begin(arena) {
      const binner = new ColumnBinner(arena, sample?.length ?? rows);
      return {
        bin: (feature, column, out) =>
          binner.bin(feature, column, column.subarray(0, rows), sample, fit, out),
        end: () => binner.release(),
      };
    },
  };
}

/** Of fewer values comparing them all takes no longer. */
const FEW_ROWS = 2048;
/** Values of a column outside the arena that are copied into it at a time. */
const COPIED_ROWS = 16_384;

export class ColumnBinner {
  readonly #arena: Arena;
  readonly #scratch: Scratch;
  /** Of edges, and of values that are looked up among them; null: there is none. */
  readonly #grid: Pointer | null;
  /** What fitting works in, and the values that it looks at; null: there is none. */
  readonly #room: Pointer | null;

  /** @param rows that are looked at to fit bins, at most */
  constructor(arena: Arena, rows: number) {
    this.#arena = arena;
    this.#scratch = new Scratch(arena);
    // All of it now: views of a memory that is not shared end when it grows.
    this.#grid = this.#allocate(layout.GRID_BYTES + 8 * COPIED_ROWS);
    this.#room = rows < FEW_ROWS ? null : this.#allocate(workingBytes(rows) + 8 * rows);
  }

  /** Gives the working memory back. */
  release(): void {
    this.#scratch.release();
  }

  /**
   * Fits the bins of a feature, and writes those of its values.
   *
   * @param fitted those of the values that bins are fitted on, of which `sample` is looked at
   * @param out u8 × values, in the arena
   */
  bin(
    feature: Feature,
    values: Float64Array,
    fitted: Float64Array,
    sample: Uint32Array | null,
    options: EdgeOptions,
    out: Pointer,
  ): FeatureBins {
    if (feature.kind === "numeric") {
      const bins = this.fit(fitted, sample, options);
      this.assign(values, bins, out);
      return bins;
    }
    const bins = categoricalBins(feature, options);
    assignBins(values, bins, feature.categories.length, this.#arena.u8(out, values.length));
    return bins;
  }

  /**
   * @param values NaN is missing
   * @param sample the rows that are looked at, ascending; null = all
   */
  fit(values: Float64Array, sample: Uint32Array | null, options: EdgeOptions): FeatureBins {
    const count = sample?.length ?? values.length;
    if (count < FEW_ROWS || this.#grid === null || this.#room === null) {
      return fitNumericBins(values, sample, options);
    }
    const found = kernelsOf(this.#arena.handle()).columnEdges(
      this.#lookedAt(values, sample, this.#room + workingBytes(count)),
      count,
      mostBins(options),
      options.minDataInBin ?? MIN_DATA_IN_BIN,
      this.#room,
      this.#grid + layout.EDGES,
    );
    if (found < 0) return fitNumericBins(values, sample, options);
    const edges = this.#arena.f64(this.#grid + layout.EDGES, found).slice();
    return { kind: "numeric", valueBins: found + 1, edges };
  }

  /** @param out u8 × values, in the arena */
  assign(values: Float64Array, bins: FeatureBins, out: Pointer): void {
    const grid = this.#grid;
    if (values.length < FEW_ROWS || grid === null) {
      assignBins(values, bins, 0, this.#arena.u8(out, values.length));
      return;
    }
    const kernels = kernelsOf(this.#arena.handle());
    const { edges } = bins;
    this.#arena.f64(grid + layout.EDGES, edges.length).set(edges);
    kernels.gridEdges(grid, edges.length);
    if (this.#isInArena(values)) {
      kernels.assignNumbers(values.byteOffset, values.length, grid, out);
      return;
    }
    const copy = grid + layout.GRID_BYTES;
    const room = this.#arena.f64(copy, COPIED_ROWS);
    for (let row = 0; row < values.length; row += COPIED_ROWS) {
      const part = values.subarray(row, row + COPIED_ROWS);
      room.set(part);
      kernels.assignNumbers(copy, part.length, grid, out + row);
    }
  }

  #isInArena(values: Float64Array): boolean {
    return values.buffer === this.#arena.memory.buffer;
  }

  /** Where the values that are looked at lie: in `room`, unless they are in the arena. */
  #lookedAt(values: Float64Array, sample: Uint32Array | null, room: Pointer): Pointer {
    if (sample === null && this.#isInArena(values)) return values.byteOffset;
    const looked = this.#arena.f64(room, sample?.length ?? values.length);
    if (sample === null) looked.set(values);
    else for (let i = 0; i < sample.length; i++) looked[i] = values[sample[i]];
    return room;
  }

  #allocate(bytes: number): Pointer | null {
    try {
      return this.#scratch.allocate(bytes);
    } catch (fault) {
      if (fault instanceof ArenaFullError) return null;
      throw fault;
    }
  }
}

/** Of `columnEdges`. */
function workingBytes(rows: number): number {
  return Math.ceil((layout.VALUES + layout.BYTES_A_VALUE * rows) / 16) * 16;
}
