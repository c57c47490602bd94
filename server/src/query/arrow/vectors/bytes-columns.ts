/** Columns of texts and bytes into DuckDB's vectors. */

import { isUtf8 } from "node:buffer";
import {
  ArrowFileError,
  type BytesColumn,
  type OffsetRows,
  type Validity,
} from "@distillery/engine/arrow";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import { copyToVector, rowAt, type Selection, writeNulls } from "./selection.ts";

const STRING_BYTES = 16;
const INLINE_BYTES = 12;
const TWO_TO_32 = 2 ** 32;

/**
 * DuckDB's strings are a length and up to twelve bytes, or a pointer to the rest. The long ones of a
 * vector are handed over in one piece, which the vector then owns, and each points into it.
 */
export function writeBytes(column: BytesColumn, vector: Vector, selection: Selection): void {
  const { from, count, rows } = selection;
  const strings = new Uint8Array(count * STRING_BYTES);
  const isPlain = rows === null && (!column.isText || column.rows.isChecked);
  if (isPlain && column.rows.layout === "offsets")
    writeRange(column.rows, vector, from, strings, column.validity);
  else writeRows(column, vector, selection, strings);
  copyToVector(vector, strings);
  writeNulls(vector, column.validity, selection);
}

function writeRows(
  { rows, validity, isText }: BytesColumn,
  vector: Vector,
  selection: Selection,
  strings: Uint8Array<ArrayBuffer>,
): void {
  const words = new Uint32Array(strings.buffer);
  const heap = new LongStrings();
  const mustCheck = isText && !rows.isChecked;
  for (let i = 0; i < selection.count; i++) {
    const row = rowAt(selection, i);
    if (validity.isNull(row)) continue;
    const bytes = rows.bytes(row);
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

/**
 * The rows from one on as DuckDB's strings; their bytes are handed over as they lie.
 *
 * @param strings zero before, of as many rows as are wanted
 */
function writeRange(
  { offsets, data }: OffsetRows,
  vector: Vector,
  from: number,
  strings: Uint8Array<ArrayBuffer>,
  validity: Validity,
): void {
  const words = new Uint32Array(strings.buffer);
  const count = words.length / 4;
  const first = offsets[from]!;
  let base = -1;
  for (let i = 0; i < count; i++) {
    if (validity.isNull(from + i)) continue;
    const start = offsets[from + i]!;
    const length = offsets[from + i + 1]! - start;
    const shown = length <= INLINE_BYTES ? length : 4;
    words[4 * i] = length;
    for (let byte = 0; byte < shown; byte++) strings[16 * i + 4 + byte] = data[start + byte]!;
    if (length <= INLINE_BYTES) continue;
    if (base === -1) base = placedInVector(vector, data.subarray(first, offsets[from + count]!));
    const pointer = base + (start - first);
    words[4 * i + 2] = pointer % TWO_TO_32;
    words[4 * i + 3] = Math.floor(pointer / TWO_TO_32);
  }
}
