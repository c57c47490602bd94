/**
 * The matrix that the solvers see: n rows, and columns of two sorts.
 *
 * - dense columns: transformed numbers, centred and scaled, in the arena, where kernels
 *   (`kernels/assembly/linear/design.ts`) take the products with them;
 * - groups of 0/1 columns of which at most one is 1 in a row (one-hot), held as one code a row, so
 *   that a group costs one addition a row however many columns it has.
 *
 * Column order: the dense columns, then the groups' columns in the groups' order. All sums have one
 * order, so results do not depend on anything else.
 */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";

export interface CodedGroup {
  /** One a row: which of the group's columns is 1, or -1 for none. */
  readonly codes: Int32Array;
  readonly levels: number;
}

export type DenseCells = Float64Array | Float32Array;

const fours = (count: number): number => Math.ceil(count / 4) * 4;

/** Room for dense columns: rows come in fours, and those behind the last are 0. */
export class DenseColumns {
  readonly scratch: Scratch;
  readonly rows: number;
  readonly filledRows: number;
  readonly isSingle: boolean;
  readonly #pointer: Pointer;
  readonly #columnBytes: number;
  #count = 0;

  /** @param most columns; @param isSingle whether they are f32 */
  constructor(scratch: Scratch, rows: number, most: number, isSingle: boolean) {
    this.scratch = scratch;
    this.rows = rows;
    this.filledRows = fours(rows);
    this.isSingle = isSingle;
    this.#columnBytes = this.filledRows * (isSingle ? 4 : 8);
    this.#pointer = scratch.allocate(most * this.#columnBytes);
  }

  get count(): number {
    return this.#count;
  }

  /** Where the next column is to be written, its filled up rows as well. */
  next(): Pointer {
    return this.pointerOf(this.#count++);
  }

  pointerOf(column: number): Pointer {
    return this.#pointer + column * this.#columnBytes;
  }

  /** Until the next allocation. */
  cellsOf(column: number): DenseCells {
    const { arena } = this.scratch;
    const pointer = this.pointerOf(column);
    return this.isSingle ? arena.f32(pointer, this.rows) : arena.f64(pointer, this.rows);
  }

  /** The cells of a new column, to be written before the next allocation. */
  append(): DenseCells {
    const { arena } = this.scratch;
    const pointer = this.next();
    const cells = this.isSingle
      ? arena.f32(pointer, this.filledRows)
      : arena.f64(pointer, this.filledRows);
    return cells.fill(0, this.rows).subarray(0, this.rows);
  }

  static of(scratch: Scratch, rows: number, columns: readonly DenseCells[]): DenseColumns {
    const dense = new DenseColumns(scratch, rows, columns.length, false);
    for (const column of columns) dense.append().set(column);
    return dense;
  }
}

export class DesignMatrix {
  readonly rows: number;
  readonly dense: DenseColumns;
  readonly denseColumns: number;
  readonly groups: readonly CodedGroup[];
  /** First column of each group. */
  readonly groupStarts: readonly number[];
  readonly columns: number;
  readonly #kernels: Kernels;
  /** f64, one a filled up row; of products. */
  readonly #ofRows: Pointer;
  /** u32, one a dense column, in fours: the addresses of all, and of those that a product takes. */
  readonly #all: Pointer;
  readonly #chosen: Pointer;
  /** f64, as many. */
  readonly #ofColumns: Pointer;

  constructor(dense: DenseColumns, groups: readonly CodedGroup[]) {
    const { scratch } = dense;
    this.rows = dense.rows;
    this.dense = dense;
    this.denseColumns = dense.count;
    this.groups = groups;
    const starts: number[] = [];
    let next = this.denseColumns;
    for (const group of groups) {
      starts.push(next);
      next += group.levels;
    }
    this.groupStarts = starts;
    this.columns = next;
    this.#kernels = kernelsOf(scratch.arena);
    this.#ofRows = scratch.allocate(8 * dense.filledRows);
    this.#all = scratch.allocate(4 * fours(this.denseColumns));
    this.#chosen = scratch.allocate(4 * fours(this.denseColumns));
    this.#ofColumns = scratch.allocate(8 * fours(this.denseColumns));
    this.#list(
      Array.from({ length: this.denseColumns }, (_, j) => j),
      this.#all,
    );
  }

  /** As kernels take it. */
  get #single(): number {
    return this.dense.isSingle ? 1 : 0;
  }

  /** out = offset + X · coefficients; `coefficients` has one number a column. */
  multiply(coefficients: Float64Array, offset: number, out: Float64Array): void {
    const { rows, dense } = this;
    const { arena } = dense.scratch;
    const places: number[] = [];
    for (let j = 0; j < this.denseColumns; j++) if (coefficients[j] !== 0) places.push(j);
    if (places.length === 0) out.fill(offset);
    else {
      const weights = arena.f64(this.#ofColumns, fours(places.length)).fill(0);
      for (const [at, j] of places.entries()) weights[at] = coefficients[j];
      this.#list(places, this.#chosen);
      const sums = arena.f64(this.#ofRows, dense.filledRows).fill(offset);
      this.#kernels.designMargins(
        dense.filledRows,
        this.#single,
        fours(places.length),
        this.#chosen,
        this.#ofColumns,
        this.#ofRows,
      );
      out.set(sums.subarray(0, rows));
    }
    for (let g = 0; g < this.groups.length; g++) {
      const start = this.groupStarts[g];
      const { codes, levels } = this.groups[g];
      const table = coefficients.subarray(start, start + levels);
      for (let i = 0; i < rows; i++) {
        const code = codes[i];
        if (code >= 0) out[i] += table[code];
      }
    }
  }

  /** out = Xᵀ · residual. */
  transposeMultiply(residual: Float64Array, out: Float64Array): void {
    const { rows, dense } = this;
    const { arena } = dense.scratch;
    out.fill(0);
    if (this.denseColumns > 0) {
      const slopes = arena.f64(this.#ofRows, dense.filledRows);
      slopes.set(residual);
      slopes.fill(0, rows);
      this.#kernels.designSums(
        dense.filledRows,
        this.#single,
        fours(this.denseColumns),
        this.#all,
        this.#ofRows,
        this.#ofColumns,
      );
      out.set(arena.f64(this.#ofColumns, this.denseColumns));
    }
    for (let g = 0; g < this.groups.length; g++) {
      const start = this.groupStarts[g];
      const { codes } = this.groups[g];
      for (let i = 0; i < rows; i++) {
        const code = codes[i];
        if (code >= 0) out[start + code] += residual[i];
      }
    }
  }

  /** Σ shareᵢ xᵢⱼ² of the dense columns. */
  weighedSquares(shares: Float64Array): Float64Array {
    const { rows, dense } = this;
    const given = dense.scratch.arena.f64(this.#ofRows, dense.filledRows);
    given.set(shares);
    given.fill(0, rows);
    return Float64Array.from({ length: this.denseColumns }, (_, j) =>
      this.#kernels.columnSquares(dense.filledRows, this.#single, dense.pointerOf(j), this.#ofRows),
    );
  }

  /**
   * Dense columns of some rows by the roots of their weights, packed for products (`symmetric.ts`).
   *
   * @param roots f64 × count; @param panel f64, the dense columns in fours × count
   */
  pack(start: number, count: number, roots: Pointer, panel: Pointer): void {
    const { denseColumns } = this;
    this.#kernels.packDesign(count, this.#single, denseColumns, this.#all, start, roots, panel);
  }

  /** The columns' addresses; those that fill up a four are the first one's. */
  #list(places: readonly number[], to: Pointer): void {
    const count = fours(places.length);
    const list = this.dense.scratch.arena.u32(to, count);
    for (let at = 0; at < count; at++) {
      list[at] = this.dense.pointerOf(places[at < places.length ? at : 0]);
    }
  }
}
