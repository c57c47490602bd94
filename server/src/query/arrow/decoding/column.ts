/** A column of an Arrow record batch, as far as DuckDB's vectors are filled from it. */

import duckdb, { type Vector } from "@duckdb/node-bindings";
import { copyBits } from "../encoding/bitmap-builder.ts";

/** Which rows of a column go to a vector's rows 0, 1, …; `rows` overrides the range, -1 being NULL. */
export interface Selection {
  readonly count: number;
  readonly from: number;
  readonly rows: Int32Array | null;
}

export interface ArrowColumn {
  readonly length: number;
  /** @throws ArrowFileError for values that DuckDB cannot hold */
  write(vector: Vector, selection: Selection): void;
}

export function rangeOf(from: number, count: number): Selection {
  return { from, count, rows: null };
}

export function rowsOf(rows: Int32Array): Selection {
  return { from: 0, count: rows.length, rows };
}

/** The selected row of the column, or -1. */
export function rowAt(selection: Selection, index: number): number {
  return selection.rows === null ? selection.from + index : selection.rows[index]!;
}

/** Which rows are valid; null stands for all. */
export class Nulls {
  readonly #bitmap: Uint8Array | null;

  constructor(bitmap: Uint8Array | null) {
    this.#bitmap = bitmap;
  }

  get isNone(): boolean {
    return this.#bitmap === null;
  }

  isNull(row: number): boolean {
    if (row < 0) return true;
    return this.#bitmap !== null && ((this.#bitmap[row >> 3]! >> (row & 7)) & 1) === 0;
  }

  /** The rows with NULLs as -1, for children, which are NULL where their parent is. */
  applied(selection: Selection): Selection {
    if (this.#bitmap === null) return selection;
    const rows = new Int32Array(selection.count);
    let isSame = selection.rows === null;
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      rows[i] = this.isNull(row) ? -1 : row;
      if (rows[i] === -1) isSame = false;
    }
    return isSame ? selection : rowsOf(rows);
  }

  /** Marks a vector's NULLs; the vector has none before. */
  write(vector: Vector, selection: Selection): void {
    const { count, rows, from } = selection;
    if (this.#bitmap === null && rows === null) return;
    const bits = new Uint8Array(Math.ceil(count / 64) * 8);
    if (rows === null && this.#bitmap !== null) copyBits(this.#bitmap, from, bits, 0, count);
    else
      for (let i = 0; i < count; i++)
        if (!this.isNull(rowAt(selection, i))) bits[i >> 3]! |= 1 << (i & 7);
    if (areOnes(bits, count)) return;
    duckdb.vector_ensure_validity_writable(vector);
    duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.length);
  }
}

function areOnes(bits: Uint8Array, count: number): boolean {
  for (let i = 0; i < count >> 3; i++) if (bits[i] !== 255) return false;
  const rest = (1 << (count & 7)) - 1;
  return rest === 0 || bits[count >> 3] === rest;
}

/** Copies values to a vector's beginning. */
export function copyToVector(vector: Vector, values: Uint8Array<ArrayBuffer>): void {
  if (values.length > 0)
    duckdb.copy_data_to_vector(vector, 0, values.buffer, values.byteOffset, values.length);
}
