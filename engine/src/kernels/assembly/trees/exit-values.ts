/** What trees add to the scores of rows that left them by these exits. */

function lowBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

function highBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

function lowPairs(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

function highPairs(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** Adds four singles of one tree, then of the next, to four scores. */
function addFour(scores: usize, one: v128, next: v128): void {
  let low = f64x2.add(v128.load(scores), f64x2.promote_low_f32x4(one));
  low = f64x2.add(low, f64x2.promote_low_f32x4(next));
  v128.store(scores, low);
  const oneHigh = f64x2.promote_low_f32x4(v128.shuffle<u64>(one, one, 1, 1));
  const nextHigh = f64x2.promote_low_f32x4(v128.shuffle<u64>(next, next, 1, 1));
  v128.store(scores, f64x2.add(f64x2.add(v128.load(scores, 16), oneHigh), nextHigh), 16);
}

/** Adds one of 16 values in single precision to each of 16 scores, then one of the next tree's. */
export function addSmall(
  table: usize,
  exits: usize,
  next: usize,
  nextExits: usize,
  scores: usize,
): void {
  const index = v128.load(exits);
  const b0 = i8x16.swizzle(v128.load(table), index);
  const b1 = i8x16.swizzle(v128.load(table, 16), index);
  const b2 = i8x16.swizzle(v128.load(table, 32), index);
  const b3 = i8x16.swizzle(v128.load(table, 48), index);
  const nextIndex = v128.load(nextExits);
  const n0 = i8x16.swizzle(v128.load(next), nextIndex);
  const n1 = i8x16.swizzle(v128.load(next, 16), nextIndex);
  const n2 = i8x16.swizzle(v128.load(next, 32), nextIndex);
  const n3 = i8x16.swizzle(v128.load(next, 48), nextIndex);
  const bLow = lowBytes(b0, b1);
  const bHigh = lowBytes(b2, b3);
  const nLow = lowBytes(n0, n1);
  const nHigh = lowBytes(n2, n3);
  addFour(scores, lowPairs(bLow, bHigh), lowPairs(nLow, nHigh));
  addFour(scores + 32, highPairs(bLow, bHigh), highPairs(nLow, nHigh));
  const bLow2 = highBytes(b0, b1);
  const bHigh2 = highBytes(b2, b3);
  const nLow2 = highBytes(n0, n1);
  const nHigh2 = highBytes(n2, n3);
  addFour(scores + 64, lowPairs(bLow2, bHigh2), lowPairs(nLow2, nHigh2));
  addFour(scores + 96, highPairs(bLow2, bHigh2), highPairs(nLow2, nHigh2));
}

function addPair(from: usize, score: usize): void {
  v128.store(score, f64x2.add(v128.load(score), v128.load(from)));
}

export function addValues(from: usize, width: usize, score: usize): void {
  let pairs = width >> 1;
  for (; pairs > 0; pairs--) {
    addPair(from, score);
    from += 16;
    score += 16;
  }
  if (width & 1) store<f64>(score, load<f64>(score) + load<f64>(from));
}

export function addWhole(
  values: usize,
  width: usize,
  exits: usize,
  count: usize,
  scores: usize,
): void {
  if (width === 1) {
    for (let i: usize = 0; i < count; i++) {
      const at = scores + (i << 3);
      store<f64>(at, load<f64>(at) + load<f64>(values + ((<usize>load<u8>(exits + i)) << 3)));
    }
    return;
  }
  const size = width << 3;
  if (width === 4) {
    for (let i: usize = 0; i < count; i++) {
      const from = values + ((<usize>load<u8>(exits + i)) << 5);
      addPair(from, scores);
      addPair(from + 16, scores + 16);
      scores += 32;
    }
    return;
  }
  for (let i: usize = 0; i < count; i++) {
    addValues(values + <usize>load<u8>(exits + i) * size, width, scores + i * size);
  }
}
