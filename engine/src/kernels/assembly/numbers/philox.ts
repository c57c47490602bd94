/** The block for the last counter, as two words of 64 bits. */
let blockLow: u64 = 0;
let blockHigh: u64 = 0;

/** Philox4x32-10, as in `compute/random.ts`; returns the first 64 bits of the block. */
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
  blockLow = u64(x0) | (u64(x1) << 32);
  blockHigh = u64(x2) | (u64(x3) << 32);
  return blockLow;
}

/** Uniform in [0, bound) by multiply-shift; the bias is below bound / 2³². */
export function below(bound: u32, bits: u32): u32 {
  return u32((u64(bits) * u64(bound)) >> 32);
}

/** The block of eight rows that `rowDraw` was last asked about, and its key. */
let drawnBlock: u32 = 0xffffffff;
let drawnKeyLow: u32 = 0;
let drawnKeyHigh: u32 = 0;
let drawnLow: u64 = 0;
let drawnHigh: u64 = 0;

/** 16 bits by a row's number and the key alone: a part of block row / 8, which rows in ascending order share. */
export function rowDraw(row: u32, keyLow: u32, keyHigh: u32): u32 {
  const block = row >> 3;
  if (block !== drawnBlock || keyLow !== drawnKeyLow || keyHigh !== drawnKeyHigh) {
    drawnBlock = block;
    drawnKeyLow = keyLow;
    drawnKeyHigh = keyHigh;
    drawnLow = philox(block, 0, 3, keyLow, keyHigh);
    drawnHigh = blockHigh;
  }
  return u32(((row & 4 ? drawnHigh : drawnLow) >> (u64(row & 3) << 4)) & 0xffff);
}

/**
 * Splits `count` ascending rows into those drawn (each with probability threshold / 2¹⁶) and the
 * rest. Returns how many were drawn.
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
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = load<u32>(at);
    const taken = usize(rowDraw(row, keyLow, keyHigh) < threshold);
    store<u32>(inside, row);
    store<u32>(outside, row);
    inside += taken << 2;
    outside += (taken ^ 1) << 2;
  }
  return i32((inside - drawn) >> 2);
}
