/**
 * Histograms of packed gradients over the bins of each listed feature.
 *
 * Rows of a node lie scattered, so their bins are first copied, block by block, into a small
 * buffer that stays in the first-level cache; then four features at a time are accumulated from
 * it. One 64-bit addition updates gradient and hessian together. Sums are integers: any order of
 * rows, any division among threads, gives equal bits.
 */

import {
  BLOCK,
  BLOCK_ROWS,
  BUNDLED_ROWS,
  BUNDLED_STRIDE,
  COLUMN_COUNT,
  COLUMN_LIST,
  COLUMN_OFFSETS,
  FEATURE_COUNT,
  FEATURE_LIST,
  HISTOGRAM_ENTRIES,
  OFFSETS,
  PACKED,
  ROW_MAJOR,
  ROW_STRIDE,
  VALUE_BINS,
} from "./layout";

/** Copies the bins and the packed gradients of `count` rows side by side. */
function gatherBlock(
  rows: usize,
  count: i32,
  rowMajor: usize,
  stride: usize,
  packed: usize,
  bins: usize,
  gradients: usize,
): void {
  const end = rows + (usize(count) << 2);
  let to = bins;
  let gradient = gradients;
  if (stride === 16) {
    for (let at = rows; at < end; at += 4) {
      const row = usize(load<u32>(at));
      v128.store(to, v128.load(rowMajor + (row << 4)));
      store<i64>(gradient, load<i64>(packed + (row << 3)));
      to += 16;
      gradient += 8;
    }
    return;
  }
  if (stride === 32) {
    for (let at = rows; at < end; at += 4) {
      const row = usize(load<u32>(at));
      const from = rowMajor + (row << 5);
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      store<i64>(gradient, load<i64>(packed + (row << 3)));
      to += 32;
      gradient += 8;
    }
    return;
  }
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    let from = rowMajor + row * stride;
    const stop = to + stride;
    while (to < stop) {
      v128.store(to, v128.load(from));
      to += 16;
      from += 16;
    }
    store<i64>(gradient, load<i64>(packed + (row << 3)));
    gradient += 8;
  }
}

function add(at: usize, value: i64): void {
  store<i64>(at, load<i64>(at) + value);
}

/** Four neighbouring features. */
function accumulateFour(
  bins: usize,
  stride: usize,
  gradients: usize,
  end: usize,
  h0: usize,
  h1: usize,
  h2: usize,
  h3: usize,
): void {
  let from = bins;
  for (let at = gradients; at < end; at += 8) {
    const value = load<i64>(at);
    add(h0 + (usize(load<u8>(from, 0)) << 3), value);
    add(h1 + (usize(load<u8>(from, 1)) << 3), value);
    add(h2 + (usize(load<u8>(from, 2)) << 3), value);
    add(h3 + (usize(load<u8>(from, 3)) << 3), value);
    from += stride;
  }
}

/** Two features, anywhere in the row. */
function accumulateTwo(
  bins: usize,
  stride: usize,
  gradients: usize,
  end: usize,
  f0: usize,
  f1: usize,
  h0: usize,
  h1: usize,
): void {
  let from = bins;
  for (let at = gradients; at < end; at += 8) {
    const value = load<i64>(at);
    add(h0 + (usize(load<u8>(from + f0)) << 3), value);
    add(h1 + (usize(load<u8>(from + f1)) << 3), value);
    from += stride;
  }
}

function accumulateOne(bins: usize, stride: usize, gradients: usize, end: usize, h0: usize): void {
  let from = bins;
  for (let at = gradients; at < end; at += 8) {
    add(h0 + (usize(load<u8>(from)) << 3), load<i64>(at));
    from += stride;
  }
}

/** Clears the histogram at `histogram` and fills it from the rows of a node. */
export function buildHistogram(p: usize, rows: usize, count: i32, histogram: usize): void {
  clearHistogram(p, histogram);
  addRows(p, rows, count, histogram, usize(load<u32>(p, BLOCK)));
}

export function clearHistogram(p: usize, histogram: usize): void {
  memory.fill(histogram, 0, usize(load<u32>(p, HISTOGRAM_ENTRIES)) << 3);
}

/** Bins that a row adds to: one of each listed feature, or of each column where features share them. */
export function cellsOfRow(p: usize): i32 {
  const isBundled = load<u32>(p, BUNDLED_ROWS) !== 0;
  return isBundled ? load<i32>(p, COLUMN_COUNT) : load<i32>(p, FEATURE_COUNT);
}

/**
 * Adds rows to a histogram. Entries of usual bins are left out for features that share columns.
 *
 * @param block room for the bins and gradients of BLOCK_ROWS rows
 */
export function addRows(p: usize, rows: usize, count: i32, histogram: usize, block: usize): void {
  const isBundled = load<u32>(p, BUNDLED_ROWS) !== 0;
  const stride = usize(isBundled ? load<u32>(p, BUNDLED_STRIDE) : load<u32>(p, ROW_STRIDE));
  const rowMajor = usize(isBundled ? load<u32>(p, BUNDLED_ROWS) : load<u32>(p, ROW_MAJOR));
  const packed = usize(load<u32>(p, PACKED));
  const offsets = usize(isBundled ? load<u32>(p, COLUMN_OFFSETS) : load<u32>(p, OFFSETS));
  const list = usize(isBundled ? load<u32>(p, COLUMN_LIST) : load<u32>(p, FEATURE_LIST));
  const features = cellsOfRow(p);
  const blockRows = load<i32>(p, BLOCK_ROWS);
  const gradients = block + usize(blockRows) * stride;
  for (let done = 0; done < count; done += blockRows) {
    const size = min(blockRows, count - done);
    gatherBlock(rows + (usize(done) << 2), size, rowMajor, stride, packed, block, gradients);
    const end = gradients + (usize(size) << 3);
    let j = 0;
    while (j < features) {
      const at = list + (usize(j) << 2);
      const f0 = usize(load<u32>(at));
      const h0 = histogram + (usize(load<u32>(offsets + (f0 << 2))) << 3);
      if (j + 4 <= features && usize(load<u32>(at, 12)) === f0 + 3) {
        const h1 = histogram + (usize(load<u32>(offsets + (f0 << 2), 4)) << 3);
        const h2 = histogram + (usize(load<u32>(offsets + (f0 << 2), 8)) << 3);
        const h3 = histogram + (usize(load<u32>(offsets + (f0 << 2), 12)) << 3);
        accumulateFour(block + f0, stride, gradients, end, h0, h1, h2, h3);
        j += 4;
      } else if (j + 2 <= features) {
        const f1 = usize(load<u32>(at, 4));
        const h1 = histogram + (usize(load<u32>(offsets + (f1 << 2))) << 3);
        accumulateTwo(block, stride, gradients, end, f0, f1, h0, h1);
        j += 2;
      } else {
        accumulateOne(block + f0, stride, gradients, end, h0);
        j += 1;
      }
    }
  }
}

/** larger = parent - smaller, in the parent's place. */
export function subtractHistogram(p: usize, parent: usize, smaller: usize): void {
  subtractEntries(parent, smaller, usize(load<u32>(p, HISTOGRAM_ENTRIES)) << 3);
}

/** The same of some entries; they need not be aligned. */
export function subtractEntries(parent: usize, smaller: usize, bytes: usize): void {
  const end = parent + bytes;
  let from = smaller;
  let at = parent;
  while (at + 16 <= end) {
    v128.store(at, i64x2.sub(v128.load(at), v128.load(from)));
    at += 16;
    from += 16;
  }
  if (at < end) store<i64>(at, load<i64>(at) - load<i64>(from));
}

/** Adds entries of another histogram. */
export function addEntries(to: usize, other: usize, bytes: usize): void {
  const end = to + bytes;
  let from = other;
  let at = to;
  while (at + 16 <= end) {
    v128.store(at, i64x2.add(v128.load(at), v128.load(from)));
    at += 16;
    from += 16;
  }
  if (at < end) store<i64>(at, load<i64>(at) + load<i64>(from));
}

/**
 * Whether the bins of each feature add up to the same: every row is in one of them. What was lost or counted twice
 * shows here. Of whole histograms of the listed features, one after another.
 */
export function addsUp(p: usize, histogram: usize): bool {
  const features = load<i32>(p + FEATURE_COUNT);
  const list = usize(load<u32>(p + FEATURE_LIST));
  const valueBins = usize(load<u32>(p + VALUE_BINS));
  let at = histogram;
  let first: i64 = 0;
  for (let i = 0; i < features; i++) {
    const feature = usize(load<u32>(list + (usize(i) << 2)));
    const end = at + ((usize(load<u32>(valueBins + (feature << 2))) + 1) << 3);
    let sums = i32x4.splat(0);
    for (; at + 8 < end; at += 16) sums = i32x4.add(sums, v128.load(at));
    if (at < end) {
      sums = i32x4.add(sums, v128.load64_zero(at));
      at += 8;
    }
    const sum = i64x2.extract_lane(i32x4.add(sums, v128.shuffle<i64>(sums, sums, 1, 0)), 0);
    if (i === 0) first = sum;
    else if (sum !== first) return false;
  }
  return true;
}
