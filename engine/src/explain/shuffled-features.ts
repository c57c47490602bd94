/**
 * A private copy of some rows of encoded data in which groups of features can be shuffled among
 * the rows and put back, in every form that families read.
 */

import { Arena, type Pointer } from "../compute/arena.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import type { EncodedData } from "../data/encoded.ts";

export class ShuffledFeatures {
  /** The copy; its rows are 0 … rows - 1. */
  readonly data: EncodedData;
  readonly #source: EncodedData;
  readonly #rows: Uint32Array;
  readonly #arena: Arena;

  private constructor(source: EncodedData, rows: Uint32Array, scratch: Scratch) {
    const count = rows.length;
    const features = source.features.length;
    const columnStride = Math.ceil(count / 16) * 16;
    this.#source = source;
    this.#rows = rows;
    this.#arena = scratch.arena;
    let binned = null;
    if (source.binned) {
      const { rowStride, bins } = source.binned;
      const rowMajor = scratch.allocate(count * rowStride);
      scratch.arena.u8(rowMajor, count * rowStride).fill(0);
      const columnMajor = scratch.allocate(features * columnStride);
      binned = { rowMajor, rowStride, columnMajor, columnStride, bins };
    }
    const values = source.values === null ? null : scratch.allocate(features * count * 8);
    this.data = { arena: source.arena, rows: count, features: source.features, binned, values };
    for (let feature = 0; feature < features; feature++) this.#fill(feature, null);
  }

  /** Runs `action` on a copy of the listed rows, and frees it afterwards. */
  static over<T>(source: EncodedData, rows: Uint32Array, action: (copy: ShuffledFeatures) => T): T {
    return withScratch(Arena.attach(source.arena), (scratch) =>
      action(new ShuffledFeatures(source, rows, scratch)),
    );
  }

  /** Row i takes the listed features of row order[i]; all others stay as they are. */
  shuffle(features: readonly number[], order: Uint32Array): void {
    for (const feature of features) this.#fill(feature, order);
  }

  restore(features: readonly number[]): void {
    for (const feature of features) this.#fill(feature, null);
  }

  #fill(feature: number, order: Uint32Array | null): void {
    const { binned, values } = this.data;
    const count = this.#rows.length;
    const from = this.#source;
    if (binned && from.binned) {
      const source = this.#arena.u8(this.#columnOf(from, feature), from.rows);
      const column = this.#arena.u8(this.#columnOf(this.data, feature), count);
      const cells = this.#arena.u8(binned.rowMajor, count * binned.rowStride);
      for (let i = 0; i < count; i++) {
        const bin = source[this.#rows[order ? order[i] : i]];
        column[i] = bin;
        cells[i * binned.rowStride + feature] = bin;
      }
    }
    if (values !== null && from.values !== null) {
      const source = this.#arena.f64(from.values + feature * from.rows * 8, from.rows);
      const column = this.#arena.f64(values + feature * count * 8, count);
      for (let i = 0; i < count; i++) column[i] = source[this.#rows[order ? order[i] : i]];
    }
  }

  #columnOf(data: EncodedData, feature: number): Pointer {
    if (data.binned === null) throw new Error("The data has no bins.");
    return data.binned.columnMajor + feature * data.binned.columnStride;
  }
}
