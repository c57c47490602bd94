/**
 * One column of an Arrow record batch, grown from DuckDB vectors. A builder copies a range of a
 * vector's rows, and hands out its buffers in the order of the Arrow columnar format.
 */

import duckdb, { type Vector } from "@duckdb/node-bindings";
import { BitmapBuilder } from "./bitmap-builder.ts";

/** What a record batch's message lists of each column, depth first. */
export interface BatchParts {
  readonly nodes: { readonly length: number; readonly nullCount: number }[];
  readonly buffers: Uint8Array[];
}

export interface ColumnBuilder {
  readonly rows: number;
  /** Copies rows from, from + 1, …; the vector is not used after the call. */
  append(vector: Vector, from: number, count: number): void;
  /** Takes back the last rows. */
  truncate(rows: number): void;
  /** What the first rows take in a batch, without padding. */
  bytesOf(rows: number): number;
  /** Empties the builder. */
  take(parts: BatchParts): void;
}

/** A vector's validity from its first row to that before `end`; null where all are valid. */
export function validityOf(vector: Vector, end: number): Uint8Array | null {
  // Declared to be there always; DuckDB has none for vectors without NULL.
  const bitmap: Uint8Array | null | undefined = duckdb.vector_get_validity(
    vector,
    Math.ceil(end / 64) * 8,
  );
  return bitmap ?? null;
}

export function isValid(validity: Uint8Array | null, row: number): boolean {
  return validity === null || ((validity[row >> 3]! >> (row & 7)) & 1) === 1;
}

/** The validity that most columns have; it has no buffer until a NULL is met. */
export class ValidityBuilder {
  readonly #bits = new BitmapBuilder();
  #hasNulls = false;
  rows = 0;

  append(validity: Uint8Array | null, from: number, count: number): void {
    if (validity !== null && !this.#hasNulls) {
      this.#bits.append(null, 0, this.rows);
      this.#hasNulls = true;
    }
    if (this.#hasNulls) this.#bits.append(validity, from, count);
    this.rows += count;
  }

  truncate(rows: number): void {
    if (this.#hasNulls) this.#bits.truncate(rows);
    this.rows = rows;
  }

  bytesOf(rows: number): number {
    return this.#hasNulls ? (rows + 7) >> 3 : 0;
  }

  take({ nodes, buffers }: BatchParts): void {
    const nullCount = this.#hasNulls ? this.rows - this.#bits.countOnes() : 0;
    nodes.push({ length: this.rows, nullCount });
    const bits = this.#bits.take();
    buffers.push(nullCount === 0 ? bits.subarray(0, 0) : bits);
    this.rows = 0;
    this.#hasNulls = false;
  }
}
