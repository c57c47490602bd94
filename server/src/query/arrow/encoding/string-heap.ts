/**
 * DuckDB's strings (`string_t`, 16 bytes): the length, then up to twelve bytes inline, or a pointer to
 * the rest. Asking for each string's memory costs more than copying it, so strings that lie close
 * together are read through one window over all of them.
 */

import duckdb from "@duckdb/node-bindings";

const STRING_BYTES = 16;
const INLINE_BYTES = 12;

/**
 * The widest gap between two strings that one window may span. Whatever lies in a gap of less than a
 * page shares its pages with the strings on either side, so that it can be addressed; it is not read.
 */
const MAX_GAP = 4095;

const TWO_TO_32 = 2 ** 32;

/**
 * Copies strings one after another.
 *
 * @param source the vector's data, from the first string on
 * @param count strings, of which those not valid are passed over
 * @param target takes the bytes at `starts[i]`
 * @param starts where each begins, in the target; has one item more than there are strings
 */
export function copyStrings(
  source: Uint8Array,
  count: number,
  target: Uint8Array,
  starts: Int32Array,
): void {
  const words = new Uint32Array(source.buffer, source.byteOffset, count * 4);
  const long: number[] = [];
  let isAscending = true;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const length = starts[i + 1]! - starts[i]!;
    if (length === 0) continue;
    if (length <= INLINE_BYTES) {
      const at = i * STRING_BYTES + 4;
      const start = starts[i]!;
      for (let byte = 0; byte < length; byte++) target[start + byte] = source[at + byte]!;
    } else {
      const pointer = pointerOf(words, i);
      if (pointer < last) isAscending = false;
      last = pointer;
      long.push(i);
    }
  }
  if (!isAscending) long.sort((a, b) => pointerOf(words, a) - pointerOf(words, b));
  copyLong(source, words, long, target, starts);
}

function copyLong(
  source: Uint8Array,
  words: Uint32Array,
  long: readonly number[],
  target: Uint8Array,
  starts: Int32Array,
): void {
  for (let first = 0; first < long.length; ) {
    const base = pointerOf(words, long[first]!);
    let end = base + lengthOf(words, long[first]!);
    let next = first + 1;
    for (; next < long.length; next++) {
      const pointer = pointerOf(words, long[next]!);
      if (pointer - end > MAX_GAP) break;
      end = Math.max(end, pointer + lengthOf(words, long[next]!));
    }
    const window = duckdb.get_data_from_pointer(
      // The binding takes the whole buffer and a place in it.
      backingBuffer(source),
      source.byteOffset + long[first]! * STRING_BYTES + 8,
      end - base,
    );
    copyFromWindow(window, base, words, long, first, next, target, starts);
    first = next;
  }
}

/** Neighbours here that are neighbours there are copied at once. */
function copyFromWindow(
  window: Uint8Array,
  base: number,
  words: Uint32Array,
  long: readonly number[],
  first: number,
  next: number,
  target: Uint8Array,
  starts: Int32Array,
): void {
  for (let k = first; k < next; ) {
    const row = long[k]!;
    const from = pointerOf(words, row) - base;
    const start = starts[row]!;
    let length = lengthOf(words, row);
    for (k++; k < next; k++) {
      const other = long[k]!;
      const isAdjacent =
        starts[other] === start + length && pointerOf(words, other) - base === from + length;
      if (!isAdjacent) break;
      length += lengthOf(words, other);
    }
    target.set(window.subarray(from, from + length), start);
  }
}

/** Addresses have 48 bits, which a double holds. */
function pointerOf(words: Uint32Array, row: number): number {
  return words[4 * row + 3]! * TWO_TO_32 + words[4 * row + 2]!;
}

function lengthOf(words: Uint32Array, row: number): number {
  return words[4 * row]!;
}

function backingBuffer(bytes: Uint8Array): ArrayBuffer {
  if (bytes.buffer instanceof ArrayBuffer) return bytes.buffer;
  throw new TypeError("a vector's data is not shared memory");
}
