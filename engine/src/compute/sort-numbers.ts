/**
 * Sorts numbers in linear time, by a radix sort of their bits: as `Float64Array.prototype.sort`, -0 before 0
 * and NaN last, several times as fast.
 *
 * The bits of an IEEE 754 double sort as an unsigned integer once negative numbers are inverted
 * and positive ones have their sign bit set (Herf, "Radix tricks", 2001).
 */

/** Digits by their word, low before high, and their bits in it: none lies in both words. */
const DIGITS = [
  { word: 0, shift: 0 },
  { word: 0, shift: 11 },
  { word: 0, shift: 22 },
  { word: 1, shift: 0 },
  { word: 1, shift: 11 },
  { word: 1, shift: 22 },
] as const;
const BUCKETS = 1 << 11;
const DIGIT = BUCKETS - 1;
/** Below this the passes cost more than comparing does. */
const FEW = 2048;

/** In place; with a second array of the same size meanwhile. */
export function sortNumbers(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const count = values.length;
  if (count < FEW) return values.sort();
  const singles = asSingles(values);
  if (singles !== null) {
    values.set(sortSingles(singles));
    return values;
  }
  let from = new Uint32Array(values.buffer, values.byteOffset, 2 * count);
  let to = new Uint32Array(2 * count);
  const own = from;
  const histograms = Array.from({ length: 6 }, () => new Uint32Array(BUCKETS));
  const [h0, h1, h2, h3, h4, h5] = histograms;
  for (let i = 0; i < 2 * count; i += 2) {
    let low = from[i];
    let high = from[i + 1];
    if (high >>> 31) {
      low = ~low >>> 0;
      high = ~high >>> 0;
    } else high = (high | 0x80000000) >>> 0;
    from[i] = low;
    from[i + 1] = high;
    h0[low & DIGIT]++;
    h1[(low >>> 11) & DIGIT]++;
    h2[low >>> 22]++;
    h3[high & DIGIT]++;
    h4[(high >>> 11) & DIGIT]++;
    h5[high >>> 22]++;
  }
  for (const [place, { word, shift }] of DIGITS.entries()) {
    const histogram = histograms[place];
    // All numbers share this digit: the pass would change nothing.
    if (histogram[(from[word] >>> shift) & DIGIT] === count) continue;
    let start = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = histogram[bucket];
      histogram[bucket] = start;
      start += size;
    }
    pass(from, to, word, shift, histogram);
    [from, to] = [to, from];
  }
  for (let i = 0; i < 2 * count; i += 2) {
    const high = from[i + 1];
    if (high >>> 31) {
      own[i] = from[i];
      own[i + 1] = high & 0x7fffffff;
    } else {
      own[i] = ~from[i];
      own[i + 1] = ~high;
    }
  }
  return values;
}

function pass(
  from: Uint32Array,
  to: Uint32Array,
  word: number,
  shift: number,
  places: Uint32Array,
): void {
  for (let i = 0; i < from.length; i += 2) {
    const at = 2 * places[(from[i + word] >>> shift) & DIGIT]++;
    to[at] = from[i];
    to[at + 1] = from[i + 1];
  }
}

/** The same numbers in half the bits; null where some are not the same. */
function asSingles(values: Float64Array): Float32Array<ArrayBuffer> | null {
  const singles = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    singles[i] = value;
    if (singles[i] !== value && !Number.isNaN(value)) return null;
  }
  return singles;
}

function sortSingles(values: Float32Array<ArrayBuffer>): Float32Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < bits.length; i++) bits[i] = keyOfSingle(bits[i]);
  const keys = sortIntegers(bits);
  for (let i = 0; i < keys.length; i++) keys[i] = singleOfKey(keys[i]);
  return new Float32Array(keys.buffer, keys.byteOffset, keys.length);
}

/** An integer that sorts as the number that these are the bits of. */
function keyOfSingle(bits: number): number {
  return (bits >>> 31 ? ~bits : bits | 0x80000000) >>> 0;
}

/** The bits of the number whose key it is. */
function singleOfKey(key: number): number {
  return (key >>> 31 ? key & 0x7fffffff : ~key) >>> 0;
}

/** Ascending: the same array or one of the same size, where the other holds nothing. */
function sortIntegers(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const count = values.length;
  const [h0, h1, h2] = Array.from({ length: 3 }, () => new Uint32Array(BUCKETS));
  for (let i = 0; i < count; i++) {
    const value = values[i];
    h0[value & DIGIT]++;
    h1[(value >>> 11) & DIGIT]++;
    h2[value >>> 22]++;
  }
  let from = values;
  let to = new Uint32Array(count);
  for (const [place, histogram] of [h0, h1, h2].entries()) {
    const shift = 11 * place;
    if (histogram[(from[0] >>> shift) & DIGIT] === count) continue;
    let start = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = histogram[bucket];
      histogram[bucket] = start;
      start += size;
    }
    for (let i = 0; i < count; i++) {
      const value = from[i];
      to[histogram[(value >>> shift) & DIGIT]++] = value;
    }
    [from, to] = [to, from];
  }
  return from;
}
