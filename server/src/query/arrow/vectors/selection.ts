/** Which rows of a column go into a vector of DuckDB, and which of them are NULL. */

import type { Validity } from "@distillery/engine/arrow";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import { copyBits } from "../encoding/bitmap-builder.ts";

/** Which rows of a column go to a vector's rows 0, 1, …; `rows` overrides the range, -1 being NULL. */
export interface Selection {
  readonly count: number;
  readonly from: number;
  readonly rows: Int32Array | null;
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

/** The rows with NULLs as -1, for children, which are NULL where their parent is. */
export function withoutNulls(validity: Validity, selection: Selection): Selection {
  if (validity.bitmap === null) return selection;
  const rows = new Int32Array(selection.count);
  let isSame = selection.rows === null;
  for (let i = 0; i < selection.count; i++) {
    const row = rowAt(selection, i);
    rows[i] = validity.isNull(row) ? -1 : row;
    if (rows[i] === -1) isSame = false;
  }
  return isSame ? selection : rowsOf(rows);
}

/** Marks a vector's NULLs; the vector has none before. */
export function writeNulls(vector: Vector, validity: Validity, selection: Selection): void {
  const { bitmap } = validity;
  const { count, rows, from } = selection;
  if (bitmap === null && rows === null) return;
  const bits = new Uint8Array(Math.ceil(count / 64) * 8);
  if (rows === null && bitmap !== null) copyBits(bitmap, from, bits, 0, count);
  else
    for (let i = 0; i < count; i++)
      if (!validity.isNull(rowAt(selection, i))) bits[i >> 3]! |= 1 << (i & 7);
  if (areOnes(bits, count)) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.length);
}

/** Makes all rows of a vector NULL. */
export function writeOnlyNulls(vector: Vector, count: number): void {
  if (count === 0) return;
  const bits = new Uint8Array(Math.ceil(count / 64) * 8);
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.length);
}

function areOnes(bits: Uint8Array, count: number): boolean {
  for (let i = 0; i < count >> 3; i++) if (bits[i] !== 255) return false;
  const rest = (1 << (count & 7)) - 1;
  return rest === 0 || bits[count >> 3] === rest;
}

/** Copies values to a vector's beginning. */
export function copyToVector(vector: Vector, values: Uint8Array): void {
  if (values.length === 0) return;
  const { buffer, byteOffset, length } = values;
  // DuckDB takes no shared memory.
  if (buffer instanceof ArrayBuffer)
    duckdb.copy_data_to_vector(vector, 0, buffer, byteOffset, length);
  else duckdb.copy_data_to_vector(vector, 0, values.slice().buffer, 0, length);
}
