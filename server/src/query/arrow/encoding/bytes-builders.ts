/** Columns of texts and bytes: offsets of 32 bits and the bytes behind one another. */

import { type DuckDBType, type DuckDBValue, DuckDBVector } from "@duckdb/node-api";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import {
  type BatchParts,
  type ColumnBuilder,
  isValid,
  ValidityBuilder,
  validityOf,
} from "./column-builder.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import { copyStrings } from "./string-heap.ts";

const MAX_OFFSET = 2 ** 31 - 1;

/** What all of them share; how the values are read is the subclasses'. */
abstract class BytesBuilder implements ColumnBuilder {
  protected readonly data = new GrowingBuffer();
  readonly #validity = new ValidityBuilder();
  /** Where each row ends; the first begins at 0. */
  readonly #ends = new GrowingBuffer();

  get rows(): number {
    return this.#validity.rows;
  }

  append(vector: Vector, from: number, count: number): void {
    if (count === 0) return;
    const validity = validityOf(vector, from + count);
    this.appendValues(vector, validity, from, count);
    this.#validity.append(validity, from, count);
  }

  /** Calls `endRow` for each row, in order. */
  protected abstract appendValues(
    vector: Vector,
    validity: Uint8Array | null,
    from: number,
    count: number,
  ): void;

  protected endRow(end: number): void {
    if (end > MAX_OFFSET) throw new Error("a batch of a column would have more than 2 GiB of text");
    this.#ends.appendInt32(end);
  }

  truncate(rows: number): void {
    this.data.length = this.#endOf(rows);
    this.#ends.length = 4 * rows;
    this.#validity.truncate(rows);
  }

  bytesOf(rows: number): number {
    return this.#validity.bytesOf(rows) + 4 * (rows + 1) + this.#endOf(rows);
  }

  take(parts: BatchParts): void {
    this.#validity.take(parts);
    const ends = this.#ends.take();
    const offsets = new Uint8Array(ends.length + 4);
    offsets.set(ends, 4);
    parts.buffers.push(offsets, this.data.take());
  }

  #endOf(rows: number): number {
    return rows === 0 ? 0 : this.#ends.int32At(4 * (rows - 1));
  }
}

/** VARCHAR, BLOB and GEOMETRY, whose bytes Arrow takes as they are. */
export class StringBuilder extends BytesBuilder {
  protected override appendValues(
    vector: Vector,
    validity: Uint8Array | null,
    from: number,
    count: number,
  ): void {
    const source = duckdb.vector_get_data(vector, (from + count) * 16).subarray(from * 16);
    const words = new Uint32Array(source.buffer, source.byteOffset, count * 4);
    const starts = new Int32Array(count + 1);
    let end = this.data.length;
    starts[0] = end;
    for (let i = 0; i < count; i++) {
      if (isValid(validity, from + i)) end += words[4 * i]!;
      this.endRow(end);
      starts[i + 1] = end;
    }
    copyStrings(source, count, this.data.extend(end - this.data.length), starts);
  }
}

/** ENUM, whose values are few and known. */
export class EnumBuilder extends BytesBuilder {
  readonly #indexBytes: 1 | 2 | 4;
  readonly #values: readonly Uint8Array[];

  constructor(values: readonly string[], indexBytes: 1 | 2 | 4) {
    super();
    this.#indexBytes = indexBytes;
    this.#values = values.map((value) => new TextEncoder().encode(value));
  }

  protected override appendValues(
    vector: Vector,
    validity: Uint8Array | null,
    from: number,
    count: number,
  ): void {
    const bytes = duckdb.vector_get_data(vector, (from + count) * this.#indexBytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let row = from; row < from + count; row++) {
      if (isValid(validity, row)) this.data.append(this.#values[this.#index(view, row)]!);
      this.endRow(this.data.length);
    }
  }

  #index(view: DataView, row: number): number {
    if (this.#indexBytes === 1) return view.getUint8(row);
    return this.#indexBytes === 2 ? view.getUint16(2 * row, true) : view.getUint32(4 * row, true);
  }
}

const HEX = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const UUID_TEXT_BYTES = 36;
const DASH = 45;

/** UUID: 128 bits with the highest flipped, so that they sort as integers. */
export class UuidBuilder extends BytesBuilder {
  protected override appendValues(
    vector: Vector,
    validity: Uint8Array | null,
    from: number,
    count: number,
  ): void {
    const source = duckdb.vector_get_data(vector, (from + count) * 16);
    for (let row = from; row < from + count; row++) {
      if (isValid(validity, row)) {
        let at = this.data.length;
        const target = this.data.extend(UUID_TEXT_BYTES);
        for (let i = 0; i < 16; i++) {
          // Big-endian text of a little-endian integer.
          const byte = source[16 * row + 15 - i]! ^ (i === 0 ? 0x80 : 0);
          if (i === 4 || i === 6 || i === 8 || i === 10) target[at++] = DASH;
          target[at++] = HEX[byte >> 4]!;
          target[at++] = HEX[byte & 15]!;
        }
      }
      this.endRow(this.data.length);
    }
  }
}

/** Rare types that travel as texts, one value at a time. */
export class TextBuilder extends BytesBuilder {
  readonly #type: DuckDBType;
  readonly #text: (value: DuckDBValue) => string;
  readonly #encoder = new TextEncoder();

  constructor(type: DuckDBType, text: (value: DuckDBValue) => string) {
    super();
    this.#type = type;
    this.#text = text;
  }

  protected override appendValues(
    vector: Vector,
    _validity: Uint8Array | null,
    from: number,
    count: number,
  ): void {
    const values = DuckDBVector.create(vector, from + count, this.#type);
    for (let row = from; row < from + count; row++) {
      const value = values.getItem(row);
      if (value !== null) this.data.append(this.#encoder.encode(this.#text(value)));
      this.endRow(this.data.length);
    }
  }
}
