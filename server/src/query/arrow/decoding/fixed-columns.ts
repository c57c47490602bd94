/** Columns of values of a fixed width. */

import type { Vector } from "@duckdb/node-bindings";
import { type ArrowColumn, copyToVector, type Nulls, rowAt, type Selection } from "./column.ts";

/** The same bytes in DuckDB. */
export class SameBytesColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;
  readonly #values: Uint8Array<ArrayBuffer>;
  readonly #width: number;

  constructor(length: number, nulls: Nulls, values: Uint8Array<ArrayBuffer>, width: number) {
    this.length = length;
    this.#nulls = nulls;
    this.#values = values;
    this.#width = width;
  }

  write(vector: Vector, selection: Selection): void {
    const width = this.#width;
    const { from, count, rows } = selection;
    copyToVector(
      vector,
      rows === null
        ? this.#values.subarray(from * width, (from + count) * width)
        : this.#gathered(rows),
    );
    this.#nulls.write(vector, selection);
  }

  #gathered(rows: Int32Array): Uint8Array<ArrayBuffer> {
    const width = this.#width;
    const bytes = new Uint8Array(rows.length * width);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (row < 0) continue;
      for (let byte = 0; byte < width; byte++)
        bytes[i * width + byte] = this.#values[row * width + byte]!;
    }
    return bytes;
  }
}

/** Writes the value of a row at a byte of the target. */
export type ValueConverter = (row: number, target: DataView, at: number) => void;

/** Another layout in DuckDB, value by value. */
export class ConvertedColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;
  readonly #width: number;
  readonly #convert: ValueConverter;

  /** @param width bytes of a value in DuckDB */
  constructor(length: number, nulls: Nulls, width: number, convert: ValueConverter) {
    this.length = length;
    this.#nulls = nulls;
    this.#width = width;
    this.#convert = convert;
  }

  write(vector: Vector, selection: Selection): void {
    const target = new DataView(new ArrayBuffer(selection.count * this.#width));
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (!this.#nulls.isNull(row)) this.#convert(row, target, i * this.#width);
    }
    copyToVector(vector, new Uint8Array(target.buffer));
    this.#nulls.write(vector, selection);
  }
}

/** Bits in Arrow, bytes in DuckDB. */
export class BoolColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;
  readonly #bits: Uint8Array;

  constructor(length: number, nulls: Nulls, bits: Uint8Array) {
    this.length = length;
    this.#nulls = nulls;
    this.#bits = bits;
  }

  write(vector: Vector, selection: Selection): void {
    const bytes = new Uint8Array(selection.count);
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (row >= 0) bytes[i] = (this.#bits[row >> 3]! >> (row & 7)) & 1;
    }
    copyToVector(vector, bytes);
    this.#nulls.write(vector, selection);
  }
}
