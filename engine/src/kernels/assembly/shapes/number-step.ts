/** The step of a number's term: a small tree over its bins, grown best first. */

import { at, put, scoreOf } from "./cell-sums";

const MOST_LEAVES: i32 = 8;
/** Bytes of a segment while a number is cut: first bin, end, cut, gain. */
const SEGMENT: usize = 24;

/** Writes the best cut of bins `low` … `high` - 1 into the segment; a gain of 0 where there is none. */
function cutSegment(
  segment: usize,
  sums: usize,
  stride: usize,
  low: i32,
  high: i32,
  l2: f64,
  leastRows: f64,
  monotone: i32,
): void {
  const g0 = at(sums, low);
  const h0 = at(sums + stride, low);
  const c0 = at(sums + 2 * stride, low);
  const g1 = at(sums, high);
  const h1 = at(sums + stride, high);
  const c1 = at(sums + 2 * stride, high);
  let best: f64 = 0;
  let cut = -1;
  const whole = scoreOf(g1 - g0, h1 - h0, l2);
  for (let bin = low + 1; bin < high; bin++) {
    const c = at(sums + 2 * stride, bin);
    if (c - c0 < leastRows || c1 - c < leastRows) continue;
    const g = at(sums, bin);
    const h = at(sums + stride, bin);
    const gain = scoreOf(g - g0, h - h0, l2) + scoreOf(g1 - g, h1 - h, l2) - whole;
    if (gain <= best) continue;
    if (monotone !== 0) {
      const rises = (g - g0) * (h1 - h + l2) - (g1 - g) * (h - h0 + l2);
      if (f64(monotone) * rises < 0) continue;
    }
    best = gain;
    cut = bin;
  }
  store<i32>(segment, low);
  store<i32>(segment, high, 4);
  store<i32>(segment, cut, 8);
  store<f64>(segment, best, 16);
}

/**
 * Best first, up to `leaves`; the missing bin, the last, is a leaf of its own, which a prior of `smooth` rows at 0
 * holds back.
 */
export function stepNumber(
  cells: i32,
  gradients: usize,
  hessians: usize,
  covers: usize,
  values: usize,
  known: usize,
  l2: f64,
  leastRows: f64,
  smooth: f64,
  leaves: i32,
  monotone: i32,
  scratch: usize,
): void {
  const bins = cells - 1;
  const stride = usize(cells + 1) << 3;
  put(scratch, 0, 0);
  put(scratch + stride, 0, 0);
  put(scratch + 2 * stride, 0, 0);
  for (let bin = 0; bin < bins; bin++) {
    put(scratch, bin + 1, at(scratch, bin) + at(gradients, bin));
    put(scratch + stride, bin + 1, at(scratch + stride, bin) + at(hessians, bin));
    put(scratch + 2 * stride, bin + 1, at(scratch + 2 * stride, bin) + at(covers, bin));
  }
  const segments = scratch + 3 * stride;
  let count = 1;
  const most = monotone !== 0 ? 2 : min(leaves, MOST_LEAVES);
  cutSegment(segments, scratch, stride, 0, bins, l2, leastRows, monotone);
  while (count < most) {
    let chosen = segments;
    for (let s = 1; s < count; s++) {
      const other = segments + usize(s) * SEGMENT;
      if (load<f64>(other, 16) > load<f64>(chosen, 16)) chosen = other;
    }
    if (!(load<f64>(chosen, 16) > 0)) break;
    const low = load<i32>(chosen);
    const high = load<i32>(chosen, 4);
    const cut = load<i32>(chosen, 8);
    cutSegment(chosen, scratch, stride, low, cut, l2, leastRows, monotone);
    const added = segments + usize(count) * SEGMENT;
    cutSegment(added, scratch, stride, cut, high, l2, leastRows, monotone);
    count++;
  }
  for (let s = 0; s < count; s++) {
    const segment = segments + usize(s) * SEGMENT;
    const low = load<i32>(segment);
    const high = load<i32>(segment, 4);
    const g = at(scratch, high) - at(scratch, low);
    const h = at(scratch + stride, high) - at(scratch + stride, low);
    // A whole without a cut says nothing of the feature.
    const value = count > 1 && h + l2 > 0 ? -g / (h + l2) : 0;
    for (let bin = low; bin < high; bin++) put(values, bin, value);
  }
  const h = at(hessians, bins);
  const c = at(covers, bins);
  const prior = c > 0 ? (smooth * h) / c : 0;
  const g = at(gradients, bins) + prior * at(known, bins);
  put(values, bins, h + prior > 0 ? -g / (h + prior) : 0);
}
