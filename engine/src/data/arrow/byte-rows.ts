/** Where the bytes of each row of a column of texts or bytes lie. */

import { isUtf8 } from "node:buffer";
import { ArrowFileError } from "./file-error.ts";

/** Bytes that a view holds itself. */
const INLINE_BYTES = 12;

export type ByteRows = OffsetRows | ViewRows | FixedRows;

/** Offsets into one buffer: Utf8, Binary and their large kinds. */
export class OffsetRows {
  readonly layout = "offsets";
  readonly length: number;
  readonly offsets: Int32Array | Float64Array;
  readonly data: Uint8Array;
  #isChecked: boolean | null;

  /**
   * @param offsets ascending and within the data, one more than there are rows
   * @param isChecked where it is known already
   */
  constructor(
    offsets: Int32Array | Float64Array,
    data: Uint8Array,
    isChecked: boolean | null = null,
  ) {
    this.#isChecked = isChecked;
    this.length = Math.max(offsets.length - 1, 0);
    this.offsets = offsets;
    this.data = data;
  }

  /** Whether all rows are known to be UTF-8, so that none need be looked at again. */
  get isChecked(): boolean {
    this.#isChecked ??= this.#isUtf8();
    return this.#isChecked;
  }

  /** Those from `from` to before `to`. */
  rows(from: number, to: number): OffsetRows {
    return new OffsetRows(this.offsets.subarray(from, to + 1), this.data, this.#isChecked);
  }

  bytes(row: number): Uint8Array {
    return this.data.subarray(this.offsets[row]!, this.offsets[row + 1]!);
  }

  /** The whole is, and no row begins within a character. */
  #isUtf8(): boolean {
    if (this.length === 0) return true;
    const end = this.offsets[this.length]!;
    if (!isUtf8(this.data.subarray(this.offsets[0]!, end))) return false;
    for (let row = 1; row < this.length; row++) {
      const offset = this.offsets[row]!;
      if (offset < end && (this.data[offset]! & 0xc0) === 0x80) return false;
    }
    return true;
  }
}

/** Utf8View and BinaryView: a length, and twelve bytes or a place in one of several buffers. */
export class ViewRows {
  readonly layout = "views";
  readonly length: number;
  readonly isChecked = false;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #buffers: readonly Uint8Array[];

  constructor(length: number, views: Uint8Array, buffers: readonly Uint8Array[]) {
    this.length = length;
    this.#bytes = views;
    this.#words = new Int32Array(views.buffer, views.byteOffset, 4 * length);
    this.#buffers = buffers;
  }

  /** Those from `from` to before `to`. */
  rows(from: number, to: number): ViewRows {
    return new ViewRows(to - from, this.#bytes.subarray(16 * from, 16 * to), this.#buffers);
  }

  /** @throws ArrowFileError */
  bytes(row: number): Uint8Array {
    const length = this.#words[4 * row]!;
    if (length >= 0 && length <= INLINE_BYTES)
      return this.#bytes.subarray(16 * row + 4, 16 * row + 4 + length);
    const buffer = this.#buffers[this.#words[4 * row + 2]!];
    const offset = this.#words[4 * row + 3]!;
    if (length < 0 || buffer === undefined || offset < 0 || offset + length > buffer.length)
      throw new ArrowFileError("a view of a text lies outside its buffers");
    return buffer.subarray(offset, offset + length);
  }
}

/** FixedSizeBinary. */
export class FixedRows {
  readonly layout = "fixed";
  readonly isChecked = false;
  readonly length: number;
  readonly #data: Uint8Array;
  readonly #width: number;

  constructor(length: number, data: Uint8Array, width: number) {
    this.length = length;
    this.#data = data;
    this.#width = width;
  }

  /** Those from `from` to before `to`. */
  rows(from: number, to: number): FixedRows {
    const own = this.#data.subarray(from * this.#width, to * this.#width);
    return new FixedRows(to - from, own, this.#width);
  }

  bytes(row: number): Uint8Array {
    return this.#data.subarray(row * this.#width, (row + 1) * this.#width);
  }
}
