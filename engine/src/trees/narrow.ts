/** Arrays in the narrowest type that holds each of their numbers exactly. */

export type NumericArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Uint16Array
  | Uint8Array;

/** Unsigned bytes, unsigned 16-bit, signed 32-bit, single or double precision: the first that fits. */
export function narrowest(
  numbers: Float64Array | Int32Array,
): Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array {
  let whole = true;
  let single = true;
  let least = 0;
  let most = 0;
  for (const number of numbers) {
    // Not the same as `===`: an integer type would lose the sign of -0.
    whole &&= Object.is(number | 0, number);
    single &&= Object.is(Math.fround(number), number);
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  if (whole && least >= 0 && most < 256) return new Uint8Array(numbers);
  if (whole && least >= 0 && most < 65_536) return new Uint16Array(numbers);
  if (whole) return new Int32Array(numbers);
  return single ? new Float32Array(numbers) : new Float64Array(numbers);
}

/** One bit an entry, the first in the lowest bit of the first byte. @param marks 0 or 1 each */
export function packBits(marks: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(marks.length / 8));
  for (let i = 0; i < marks.length; i++) bits[i >> 3] |= marks[i] << (i & 7);
  return bits;
}

/** The first `count` bits, one byte each. */
export function unpackBits(bits: Uint8Array, count: number): Uint8Array {
  const marks = new Uint8Array(count);
  for (let i = 0; i < count; i++) marks[i] = (bits[i >> 3] >> (i & 7)) & 1;
  return marks;
}
