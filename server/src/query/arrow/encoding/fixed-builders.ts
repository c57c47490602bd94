/** Columns whose values have a fixed width in DuckDB and in Arrow. */

import duckdb, { type Vector } from "@duckdb/node-bindings";
import { BitmapBuilder } from "./bitmap-builder.ts";
import {
  type BatchParts,
  type ColumnBuilder,
  isValid,
  ValidityBuilder,
  validityOf,
} from "./column-builder.ts";
import { GrowingBuffer } from "./growing-buffer.ts";

/**
 * Writes one range of values: `source` begins at the first of them, `target` is zero and takes them
 * from `start`.
 *
 * @throws Error where Arrow cannot hold one
 */
export type ValueWriter = (
  source: DataView,
  target: DataView,
  start: number,
  row: { readonly count: number; readonly isValid: (index: number) => boolean },
) => void;

/** The same bytes in both, or what a writer makes of them. */
export class FixedBuilder implements ColumnBuilder {
  readonly #sourceBytes: number;
  readonly #targetBytes: number;
  readonly #write: ValueWriter | null;
  readonly #validity = new ValidityBuilder();
  readonly #values = new GrowingBuffer();

  constructor(sourceBytes: number, targetBytes = sourceBytes, write: ValueWriter | null = null) {
    this.#sourceBytes = sourceBytes;
    this.#targetBytes = targetBytes;
    this.#write = write;
  }

  get rows(): number {
    return this.#validity.rows;
  }

  append(vector: Vector, from: number, count: number): void {
    if (count === 0) return;
    const validity = validityOf(vector, from + count);
    const source = duckdb
      .vector_get_data(vector, (from + count) * this.#sourceBytes)
      .subarray(from * this.#sourceBytes);
    const start = this.#values.length;
    const target = this.#values.extend(count * this.#targetBytes);
    if (this.#write === null) {
      target.set(source, start);
      // What lies under a NULL is anything; a result is a function of its values alone.
      if (validity !== null)
        for (let i = 0; i < count; i++)
          if (!isValid(validity, from + i)) {
            const at = start + i * this.#targetBytes;
            target.fill(0, at, at + this.#targetBytes);
          }
    } else {
      target.fill(0, start, this.#values.length);
      this.#write(
        new DataView(source.buffer, source.byteOffset, source.byteLength),
        new DataView(target.buffer, target.byteOffset, target.byteLength),
        start,
        { count, isValid: (index) => isValid(validity, from + index) },
      );
    }
    this.#validity.append(validity, from, count);
  }

  truncate(rows: number): void {
    this.#validity.truncate(rows);
    this.#values.length = rows * this.#targetBytes;
  }

  bytesOf(rows: number): number {
    return this.#validity.bytesOf(rows) + rows * this.#targetBytes;
  }

  take(parts: BatchParts): void {
    this.#validity.take(parts);
    parts.buffers.push(this.#values.take());
  }
}

/** Booleans: bytes in DuckDB, bits in Arrow. */
export class BoolBuilder implements ColumnBuilder {
  readonly #validity = new ValidityBuilder();
  readonly #values = new BitmapBuilder();

  get rows(): number {
    return this.#validity.rows;
  }

  append(vector: Vector, from: number, count: number): void {
    if (count === 0) return;
    const validity = validityOf(vector, from + count);
    const source = duckdb.vector_get_data(vector, from + count);
    if (validity === null) this.#values.appendBytes(source, from, count);
    else
      this.#values.appendBytes(
        Uint8Array.from({ length: count }, (_, i) =>
          isValid(validity, from + i) ? source[from + i]! : 0,
        ),
        0,
        count,
      );
    this.#validity.append(validity, from, count);
  }

  truncate(rows: number): void {
    this.#validity.truncate(rows);
    this.#values.truncate(rows);
  }

  bytesOf(rows: number): number {
    return this.#validity.bytesOf(rows) + ((rows + 7) >> 3);
  }

  take(parts: BatchParts): void {
    this.#validity.take(parts);
    parts.buffers.push(this.#values.take());
  }
}

/** Arrow's null type has no buffers at all. */
export class NullBuilder implements ColumnBuilder {
  rows = 0;

  append(_vector: Vector, _from: number, count: number): void {
    this.rows += count;
  }

  truncate(rows: number): void {
    this.rows = rows;
  }

  bytesOf(): number {
    return 0;
  }

  take({ nodes }: BatchParts): void {
    nodes.push({ length: this.rows, nullCount: this.rows });
    this.rows = 0;
  }
}
