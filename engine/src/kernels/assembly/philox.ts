/** Philox4x32-10, as in `compute/random.ts`; the first 64 bits of the block for a counter. */
export function philox(c0: u32, c1: u32, c2: u32, keyLow: u32, keyHigh: u32): u64 {
  let x0 = c0;
  let x1 = c1;
  let x2 = c2;
  let x3: u32 = 0;
  let k0 = keyLow;
  let k1 = keyHigh;
  for (let round = 0; round < 10; round++) {
    const a = u64(x0) * 0xd2511f53;
    const b = u64(x2) * 0xcd9e8d57;
    x0 = u32(b >> 32) ^ x1 ^ k0;
    x2 = u32(a >> 32) ^ x3 ^ k1;
    x1 = u32(b);
    x3 = u32(a);
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return u64(x0) | (u64(x1) << 32);
}

/** Uniform in [0, bound) by multiply-shift; the bias is below bound / 2³². */
export function below(bound: u32, bits: u32): u32 {
  return u32((u64(bits) * u64(bound)) >> 32);
}

/**
 * Splits `count` rows into those drawn (each with probability threshold / 2³²) and the rest.
 * The draw of a row depends on its number and the key alone. Returns how many were drawn.
 */
export function sampleRows(
  rows: usize,
  count: i32,
  threshold: u32,
  keyLow: u32,
  keyHigh: u32,
  drawn: usize,
  rest: usize,
): i32 {
  let inside = drawn;
  let outside = rest;
  for (let i = 0; i < count; i++) {
    const row = load<u32>(rows + (usize(i) << 2));
    const bits = philox(row >> 1, 0, 0, keyLow, keyHigh);
    const draw = u32(row & 1 ? bits >> 32 : bits);
    if (draw < threshold) {
      store<u32>(inside, row);
      inside += 4;
    } else {
      store<u32>(outside, row);
      outside += 4;
    }
  }
  return i32((inside - drawn) >> 2);
}
