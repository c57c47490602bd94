/**
 * The stable ascending order of numbers, by a radix sort of their bits: linear time, and the same
 * order everywhere. Rank metrics call it for every candidate of an ensemble.
 *
 * The bits of an IEEE 754 double sort as an unsigned integer once negative numbers are inverted
 * and positive ones have their sign bit set (Herf, "Radix tricks", 2001).
 */

const DIGIT_BITS = 8;
const DIGITS = 64 / DIGIT_BITS;
const BUCKETS = 1 << DIGIT_BITS;
const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/**
 * @param values numbers without NaN; −0 and 0 are equal
 * @returns indices of `values`, smallest value first, equal values by index
 */
export function ascendingOrder(values: Float64Array): Uint32Array {
  const count = values.length;
  const keys = new Float64Array(count);
  // Adding zero turns -0 into 0.
  for (let i = 0; i < count; i++) keys[i] = values[i] + 0;
  const words = new Uint32Array(keys.buffer);
  const low = LITTLE_ENDIAN ? 0 : 1;
  const histogram = new Uint32Array(DIGITS * BUCKETS);
  for (let i = 0; i < count; i++) {
    const sign = words[2 * i + 1 - low] >>> 31;
    const lowWord = (sign ? ~words[2 * i + low] : words[2 * i + low]) >>> 0;
    const highWord = (sign ? ~words[2 * i + 1 - low] : words[2 * i + 1 - low] | 0x80000000) >>> 0;
    words[2 * i + low] = lowWord;
    words[2 * i + 1 - low] = highWord;
    for (let digit = 0; digit < 4; digit++) {
      histogram[digit * BUCKETS + ((lowWord >>> (8 * digit)) & 255)]++;
      histogram[(digit + 4) * BUCKETS + ((highWord >>> (8 * digit)) & 255)]++;
    }
  }
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  for (let digit = 0; digit < DIGITS; digit++) {
    const starts = histogram.subarray(digit * BUCKETS, (digit + 1) * BUCKETS);
    const word = digit < 4 ? low : 1 - low;
    const shift = 8 * (digit & 3);
    // All numbers share this digit: the pass would change nothing.
    if (count > 0 && starts[(words[word] >>> shift) & 255] === count) continue;
    let start = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = starts[bucket];
      starts[bucket] = start;
      start += size;
    }
    for (let i = 0; i < count; i++) {
      const index = order[i];
      next[starts[(words[2 * index + word] >>> shift) & 255]++] = index;
    }
    [order, next] = [next, order];
  }
  return order;
}
