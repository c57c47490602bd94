/** The distinct values of a numeric column and in how many rows each is: by the fastest way that its values allow. */

import { keyOfSingle, singleOfKey, sortIntegers, sortNumbers } from "../../compute/sort-numbers.ts";

/** Distinct values, ascending, at the front of an array, and in how many rows each is. */
export interface CountedValues {
  readonly distinct: Float64Array;
  readonly counts: Uint32Array;
  readonly size: number;
}

/** So many distinct values are found sooner by looking through them than by sorting all rows. */
const FEW_VALUES = 8;

/** Powers of ten by which numbers with few decimals become integers. */
const SCALES = [1, 10, 100, 1000, 10_000, 100_000] as const;
/** Rows that tell which of them. */
const LOOKED_AT = 64;
/** Integers of so few places for each row are counted where they are, and not sorted. */
const PLACES_OF_ROW = 4;
/** Of fewer values the engine's own sort is as fast. */
const FEW_ROWS = 2048;

/**
 * Values without NaN.
 *
 * @param sample rows that are looked at, ascending; null = all
 */
export function countedValues(values: Float64Array, sample: Uint32Array | null): CountedValues {
  const looked = sample === null ? values : Float64Array.from(sample, (row) => values[row]);
  return (
    countFew(looked) ??
    countDecimals(looked) ??
    countSingles(looked) ??
    countSorted(sortNumbers(presentOf(looked)))
  );
}

/** Of columns of 0 and 1 and their like; null of more values. */
function countFew(values: Float64Array): CountedValues | null {
  const distinct = new Float64Array(FEW_VALUES);
  const counts = new Uint32Array(FEW_VALUES);
  let size = 0;
  let last = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    if (value !== distinct[last] || size === 0) {
      last = 0;
      while (last < size && distinct[last] !== value) last++;
      if (last === FEW_VALUES) return null;
      if (last === size) distinct[size++] = value;
    }
    counts[last]++;
  }
  const order = Array.from({ length: size }, (_, at) => at).sort(
    (a, b) => distinct[a] - distinct[b],
  );
  return {
    distinct: Float64Array.from(order, (at) => distinct[at]),
    counts: Uint32Array.from(order, (at) => counts[at]),
    size,
  };
}

/** Of integers and of numbers with few decimals, which sort as integers; null of others. */
function countDecimals(values: Float64Array): CountedValues | null {
  const scale = scaleOf(values);
  if (scale === null) return null;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const first = Math.round(least * scale);
  const largest = Math.round(most * scale) - first;
  // Infinite ones fail as well, and those of a size where integers are not next to each other.
  if (!(largest < 2 ** 32 && Math.abs(first) < 2 ** 52)) return null;
  const keys = new Uint32Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const whole = Math.round(value * scale);
    if (whole / scale === value) keys[count++] = whole - first;
    else if (!Number.isNaN(value)) return null;
  }
  const counted = countKeys(keys.subarray(0, count), largest);
  const distinct = new Float64Array(counted.keys.length);
  for (let i = 0; i < distinct.length; i++) distinct[i] = (counted.keys[i] + first) / scale;
  return { distinct, counts: counted.counts, size: distinct.length };
}

/** The least power of ten that makes integers of the first numbers; null where none does. */
function scaleOf(values: Float64Array): number | null {
  let at = 0;
  for (let i = 0; i < values.length && i < LOOKED_AT; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    while (Math.round(value * SCALES[at]) / SCALES[at] !== value) {
      at++;
      if (at === SCALES.length) return null;
    }
  }
  return SCALES[at];
}

/** Of numbers that half the bits hold; null of others. */
function countSingles(values: Float64Array): CountedValues | null {
  if (values.length < FEW_ROWS) return null;
  const singles = new Float32Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    // No -0, whose key is another one.
    singles[count] = value + 0;
    if (singles[count] === value) count++;
    else if (!Number.isNaN(value)) return null;
  }
  const keys = new Uint32Array(singles.buffer, 0, count);
  for (let i = 0; i < count; i++) keys[i] = keyOfSingle(keys[i]);
  const counted = countKeys(keys, 0xffffffff);
  const bits = counted.keys;
  for (let i = 0; i < bits.length; i++) bits[i] = singleOfKey(bits[i]);
  const distinct = new Float64Array(new Float32Array(bits.buffer, bits.byteOffset, bits.length));
  return { distinct, counts: counted.counts, size: distinct.length };
}

interface CountedKeys {
  /** Ascending. */
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly counts: Uint32Array;
}

/** @param keys overwritten @param largest of them, or more */
function countKeys(keys: Uint32Array<ArrayBuffer>, largest: number): CountedKeys {
  if (largest < PLACES_OF_ROW * keys.length) return countPlaces(keys, largest);
  const sorted = sortIntegers(keys, largest);
  const counts = new Uint32Array(sorted.length);
  let size = 0;
  for (let i = 0; i < sorted.length; i++) {
    const key = sorted[i];
    if (size === 0 || sorted[size - 1] !== key) sorted[size++] = key;
    counts[size - 1]++;
  }
  return { keys: sorted.subarray(0, size), counts };
}

function countPlaces(keys: Uint32Array, largest: number): CountedKeys {
  const countOf = new Uint32Array(largest + 1);
  for (let i = 0; i < keys.length; i++) countOf[keys[i]]++;
  const found = new Uint32Array(Math.min(keys.length, largest + 1));
  const counts = new Uint32Array(found.length);
  let size = 0;
  for (let key = 0; key <= largest; key++) {
    if (countOf[key] === 0) continue;
    found[size] = key;
    counts[size++] = countOf[key];
  }
  return { keys: found.subarray(0, size), counts };
}

function presentOf(values: Float64Array): Float64Array<ArrayBuffer> {
  const present = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!Number.isNaN(value)) present[count++] = value;
  }
  return present.subarray(0, count);
}

/** @param sorted ascending, without NaN; the distinct values take its front, which is not read again there */
export function countSorted(sorted: Float64Array): CountedValues {
  const distinct = sorted;
  const counts = new Uint32Array(sorted.length);
  let size = 0;
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i];
    if (size === 0 || distinct[size - 1] !== value) distinct[size++] = value;
    counts[size - 1]++;
  }
  return { distinct, counts, size };
}
