/** Columns of texts and bytes. */

import { isUtf8 } from "node:buffer";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import { type ArrowColumn, copyToVector, type Nulls, rowAt, type Selection } from "./column.ts";
import { ArrowFileError } from "./file-error.ts";

const STRING_BYTES = 16;
const INLINE_BYTES = 12;
const TWO_TO_32 = 2 ** 32;

/** Where the bytes of each row lie. */
export interface ByteRows {
  readonly length: number;
  /** All texts are known to be UTF-8, so that none need be looked at again. */
  readonly isChecked: boolean;
  bytes(row: number): Uint8Array;
}

/**
 * DuckDB's strings are a length and up to twelve bytes, or a pointer to the rest. The long ones of a
 * vector are handed over in one piece, which the vector then owns, and each points into it.
 */
export class BytesColumn implements ArrowColumn {
  readonly length: number;
  readonly rows: ByteRows;
  readonly #nulls: Nulls;
  readonly isText: boolean;

  constructor(rows: ByteRows, nulls: Nulls, isText: boolean) {
    this.length = rows.length;
    this.rows = rows;
    this.#nulls = nulls;
    this.isText = isText;
  }

  write(vector: Vector, selection: Selection): void {
    const { from, count, rows } = selection;
    const strings = new Uint8Array(count * STRING_BYTES);
    const isPlain = rows === null && (this.rows.isChecked || !this.isText);
    if (isPlain && this.rows instanceof OffsetRows)
      this.rows.writeRange(vector, from, strings, this.#nulls);
    else this.#writeRows(vector, selection, strings);
    copyToVector(vector, strings);
    this.#nulls.write(vector, selection);
  }

  #writeRows(vector: Vector, selection: Selection, strings: Uint8Array<ArrayBuffer>): void {
    const words = new Uint32Array(strings.buffer);
    const heap = new LongStrings();
    const mustCheck = this.isText && !this.rows.isChecked;
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (this.#nulls.isNull(row)) continue;
      const bytes = this.rows.bytes(row);
      if (mustCheck && !isUtf8(bytes))
        throw new ArrowFileError("a text is not UTF-8; the column should be of type Binary");
      const at = i * STRING_BYTES + 4;
      words[4 * i] = bytes.length;
      if (bytes.length <= INLINE_BYTES)
        for (let byte = 0; byte < bytes.length; byte++) strings[at + byte] = bytes[byte]!;
      else {
        for (let byte = 0; byte < 4; byte++) strings[at + byte] = bytes[byte]!;
        heap.add(i, row, bytes, selection.rows !== null);
      }
    }
    heap.place(vector, words);
  }

  isNull(row: number): boolean {
    return this.#nulls.isNull(row);
  }
}

/** The strings of one vector that do not lie inline, behind one another. */
class LongStrings {
  readonly #pieces: Uint8Array[] = [];
  readonly #targets: number[] = [];
  readonly #offsets: number[] = [];
  /** Rows that are met again, as those of a dictionary are, are kept once. */
  readonly #known = new Map<number, number>();
  #length = 0;

  add(target: number, row: number, bytes: Uint8Array, mayRepeat: boolean): void {
    let offset = mayRepeat ? this.#known.get(row) : undefined;
    if (offset === undefined) {
      offset = this.#length;
      if (mayRepeat) this.#known.set(row, offset);
      this.#pieces.push(bytes);
      this.#length += bytes.length;
      if (this.#length >= TWO_TO_32)
        throw new ArrowFileError("2,048 rows of a column have more than 4 GiB of text");
    }
    this.#targets.push(target);
    this.#offsets.push(offset);
  }

  place(vector: Vector, words: Uint32Array): void {
    if (this.#pieces.length === 0) return;
    const heap = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      heap.set(piece, at);
      at += piece.length;
    }
    const base = placedInVector(vector, heap);
    this.#targets.forEach((target, i) => {
      const pointer = base + this.#offsets[i]!;
      words[4 * target + 2] = pointer % TWO_TO_32;
      words[4 * target + 3] = Math.floor(pointer / TWO_TO_32);
    });
  }
}

/** Hands bytes over to a vector. @returns their address, for strings that point into them */
function placedInVector(vector: Vector, heap: Uint8Array): number {
  duckdb.vector_assign_string_element_len(vector, 0, heap);
  const first = duckdb.vector_get_data(vector, STRING_BYTES);
  const view = new DataView(first.buffer, first.byteOffset);
  if (view.getUint32(0, true) !== heap.length)
    throw new ArrowFileError("a text is not UTF-8; the column should be of type Binary");
  // Addresses have 48 bits, which a double holds.
  return view.getUint32(12, true) * TWO_TO_32 + view.getUint32(8, true);
}

/** Offsets into one buffer: Utf8, Binary and their large kinds. */
export class OffsetRows implements ByteRows {
  readonly length: number;
  readonly isChecked: boolean;
  readonly #offsets: Int32Array | Float64Array;
  readonly #data: Uint8Array;

  /** @param offsets ascending and within the data, one more than there are rows */
  constructor(offsets: Int32Array | Float64Array, data: Uint8Array, isText: boolean) {
    this.length = Math.max(offsets.length - 1, 0);
    this.#offsets = offsets;
    this.#data = data;
    this.isChecked = isText && this.#isUtf8();
  }

  bytes(row: number): Uint8Array {
    return this.#data.subarray(this.#offsets[row]!, this.#offsets[row + 1]!);
  }

  /**
   * The rows from one on as DuckDB's strings; their bytes are handed over as they lie.
   *
   * @param strings zero before, of as many rows as are wanted
   */
  writeRange(vector: Vector, from: number, strings: Uint8Array<ArrayBuffer>, nulls: Nulls): void {
    const words = new Uint32Array(strings.buffer);
    const count = words.length / 4;
    const data = this.#data;
    const first = this.#offsets[from]!;
    let base = -1;
    for (let i = 0; i < count; i++) {
      if (nulls.isNull(from + i)) continue;
      const start = this.#offsets[from + i]!;
      const length = this.#offsets[from + i + 1]! - start;
      const shown = length <= INLINE_BYTES ? length : 4;
      words[4 * i] = length;
      for (let byte = 0; byte < shown; byte++) strings[16 * i + 4 + byte] = data[start + byte]!;
      if (length <= INLINE_BYTES) continue;
      if (base === -1)
        base = placedInVector(vector, data.subarray(first, this.#offsets[from + count]!));
      const pointer = base + (start - first);
      words[4 * i + 2] = pointer % TWO_TO_32;
      words[4 * i + 3] = Math.floor(pointer / TWO_TO_32);
    }
  }

  /** The whole is, and no row begins within a character. */
  #isUtf8(): boolean {
    if (this.length === 0) return true;
    const end = this.#offsets[this.length]!;
    if (!isUtf8(this.#data.subarray(this.#offsets[0]!, end))) return false;
    for (let row = 1; row < this.length; row++) {
      const offset = this.#offsets[row]!;
      if (offset < end && (this.#data[offset]! & 0xc0) === 0x80) return false;
    }
    return true;
  }
}

/** Utf8View and BinaryView: a length, and twelve bytes or a place in one of several buffers. */
export class ViewRows implements ByteRows {
  readonly length: number;
  readonly isChecked = false;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #buffers: readonly Uint8Array[];

  constructor(length: number, views: Uint8Array<ArrayBuffer>, buffers: readonly Uint8Array[]) {
    this.length = length;
    this.#bytes = views;
    this.#words = new Int32Array(views.buffer, views.byteOffset, 4 * length);
    this.#buffers = buffers;
  }

  bytes(row: number): Uint8Array {
    const length = this.#words[4 * row]!;
    if (length >= 0 && length <= INLINE_BYTES)
      return this.#bytes.subarray(16 * row + 4, 16 * row + 4 + length);
    const buffer = this.#buffers[this.#words[4 * row + 2]!];
    const offset = this.#words[4 * row + 3]!;
    if (length < 0 || buffer === undefined || offset < 0 || offset + length > buffer.length)
      throw new ArrowFileError("a view of a text lies outside of its buffers");
    return buffer.subarray(offset, offset + length);
  }
}

/** FixedSizeBinary. */
export class FixedRows implements ByteRows {
  readonly isChecked = false;
  readonly length: number;
  readonly #data: Uint8Array;
  readonly #width: number;

  constructor(length: number, data: Uint8Array, width: number) {
    this.length = length;
    this.#data = data;
    this.#width = width;
  }

  bytes(row: number): Uint8Array {
    return this.#data.subarray(row * this.#width, (row + 1) * this.#width);
  }
}
