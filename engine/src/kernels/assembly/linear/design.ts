/**
 * The design matrix of a linear model while it is fitted: how it is written, and what solvers ask of it.
 *
 * Columns lie one behind the other, `stride` bytes each, f64 or, where `single`, f32. Rows come in fours, of
 * which the last may be filled up by zeros. Sums take the rows in blocks that stay in the first cache,
 * and in one order, so that equal inputs give equal bits.
 */

import { expInRange, logPair } from "../numbers/elementary";
import { INTERPOLATED, SPLINE, writeInterpolated, writeSpline } from "./linear";

/** Rows of a block. */
const BLOCK: usize = 1024;

/** @inline */
function total(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** All bits where a cell is finite. @inline */
function isFinite2(cells: v128): v128 {
  return f64x2.eq(f64x2.sub(cells, cells), f64x2.splat(0));
}

/** All bits where a row has a cell and weight: what else stands there may be anything. @inline */
function hasWeight(cells: usize, share: v128): v128 {
  return v128.and(isFinite2(v128.load(cells)), f64x2.gt(share, f64x2.splat(0)));
}

/** What a spline (1) or an interpolation (2) makes of cells: columns of f64. Cells come in pairs. */
export function writeTransformed(
  kind: i32,
  cells: usize,
  count: i32,
  knots: usize,
  knotCount: i32,
  out: usize,
  stride: usize,
): void {
  const bytes = (<usize>count) << 3;
  if (kind === SPLINE) writeSpline(cells, bytes, knots, <usize>knotCount, out, stride);
  if (kind === INTERPOLATED) writeInterpolated(cells, bytes, knots, <usize>knotCount, out);
}

/**
 * The weighted mean and standard deviation of a column where the cells that it was made of are finite.
 *
 * @param cells, column, shares f64 × count, an even number; shares of what is filled up are 0
 * @param out f64 × 2: mean and deviation, the latter 0 where the column does not vary
 */
export function columnMoments(
  cells: usize,
  column: usize,
  shares: usize,
  count: i32,
  out: usize,
): void {
  const end = (<usize>count) << 3;
  const zero = f64x2.splat(0);
  let tops = zero;
  let weights = zero;
  let first: f64 = NaN;
  for (let at: usize = 0; at < end; at += 8) {
    const cell = load<f64>(cells + at);
    if (cell - cell !== 0 || load<f64>(shares + at) === 0) continue;
    first = load<f64>(column + at);
    break;
  }
  const firsts = f64x2.splat(first);
  let differing = zero;
  for (let at: usize = 0; at < end; at += 16) {
    const share = v128.load(shares + at);
    const counts = hasWeight(cells + at, share);
    const value = v128.load(column + at);
    tops = f64x2.max(tops, v128.and(counts, f64x2.abs(value)));
    weights = f64x2.add(weights, v128.and(counts, share));
    differing = v128.or(differing, v128.and(counts, f64x2.ne(value, firsts)));
  }
  const size = max(f64x2.extract_lane(tops, 0), f64x2.extract_lane(tops, 1));
  store<f64>(out, 0);
  store<f64>(out, 0, 8);
  if (!v128.any_true(differing) || size - size !== 0) return;
  // In units of a power of two, which is exact, differences from the first neither cancel nor overflow.
  const exponent = min<i64>(max<i64>(((reinterpret<i64>(size) >> 52) & 0x7ff) - 1023, -1022), 1021);
  const scale = reinterpret<f64>((1023 - exponent) << 52);
  const scales = f64x2.splat(scale);
  const origin = f64x2.splat(first * scale);
  let shifts = zero;
  for (let at: usize = 0; at < end; at += 16) {
    const share = v128.load(shares + at);
    const away = f64x2.sub(f64x2.mul(v128.load(column + at), scales), origin);
    shifts = f64x2.add(shifts, v128.and(hasWeight(cells + at, share), f64x2.mul(share, away)));
  }
  const weight = total(weights);
  const mean = first * scale + total(shifts) / weight;
  const means = f64x2.splat(mean);
  let squares = zero;
  for (let at: usize = 0; at < end; at += 16) {
    const share = v128.load(shares + at);
    const away = f64x2.sub(f64x2.mul(v128.load(column + at), scales), means);
    const square = f64x2.mul(share, f64x2.mul(away, away));
    squares = f64x2.add(squares, v128.and(hasWeight(cells + at, share), square));
  }
  // Adding zero turns -0 into 0.
  store<f64>(out, mean / scale + 0.0);
  store<f64>(out, Math.sqrt(total(squares) / weight) / scale, 8);
}

/** A column centred and scaled, 0 where its cell is not finite. Rows come in fours. */
export function writeStandardised(
  cells: usize,
  column: usize,
  count: i32,
  mean: f64,
  deviation: f64,
  out: usize,
  single: i32,
): void {
  const means = f64x2.splat(mean);
  const deviations = f64x2.splat(deviation);
  const end = (<usize>count) << 3;
  for (let at: usize = 0; at < end; at += 32) {
    const low = v128.and(
      f64x2.div(f64x2.sub(v128.load(column + at), means), deviations),
      isFinite2(v128.load(cells + at)),
    );
    const high = v128.and(
      f64x2.div(f64x2.sub(v128.load(column + at, 16), means), deviations),
      isFinite2(v128.load(cells + at, 16)),
    );
    if (single) {
      const both = i64x2.shuffle(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
      v128.store(out + (at >> 1), both);
    } else {
      v128.store(out + at, low);
      v128.store(out + at, high, 16);
    }
  }
}

/** Cells of four rows as two pairs of doubles: the first. @inline */
function lowOf(at: usize, single: bool): v128 {
  return single ? f64x2.promote_low_f32x4(v128.load64_zero(at)) : v128.load(at);
}

/** @inline */
function highOf(at: usize, single: bool): v128 {
  return single ? f64x2.promote_low_f32x4(v128.load64_zero(at, 8)) : v128.load(at, 16);
}

/** out += four columns of a block by their coefficients. @inline */
function addFour(
  out: usize,
  rows: usize,
  single: bool,
  a: usize,
  b: usize,
  c: usize,
  d: usize,
  coefficients: usize,
): void {
  const wa = v128.load64_splat(coefficients);
  const wb = v128.load64_splat(coefficients, 8);
  const wc = v128.load64_splat(coefficients, 16);
  const wd = v128.load64_splat(coefficients, 24);
  const step: usize = single ? 16 : 32;
  let x: usize = 0;
  const end = out + (rows << 3);
  for (let to = out; to < end; to += 32, x += step) {
    const ab0 = f64x2.add(f64x2.mul(wa, lowOf(a + x, single)), f64x2.mul(wb, lowOf(b + x, single)));
    const cd0 = f64x2.add(f64x2.mul(wc, lowOf(c + x, single)), f64x2.mul(wd, lowOf(d + x, single)));
    v128.store(to, f64x2.add(v128.load(to), f64x2.add(ab0, cd0)));
    const ab1 = f64x2.add(
      f64x2.mul(wa, highOf(a + x, single)),
      f64x2.mul(wb, highOf(b + x, single)),
    );
    const cd1 = f64x2.add(
      f64x2.mul(wc, highOf(c + x, single)),
      f64x2.mul(wd, highOf(d + x, single)),
    );
    v128.store(to, f64x2.add(v128.load(to, 16), f64x2.add(ab1, cd1)), 16);
  }
}

/**
 * out += the columns by their coefficients.
 *
 * @param count of columns, a multiple of four
 * @param columns u32 × count: their addresses; of what fills up, any, with a coefficient of 0
 * @param coefficients f64 × count
 * @param out f64 × rows
 */
export function designMargins(
  rows: i32,
  single: i32,
  count: i32,
  columns: usize,
  coefficients: usize,
  out: usize,
): void {
  const all = <usize>rows;
  const width: usize = single ? 4 : 8;
  for (let start: usize = 0; start < all; start += BLOCK) {
    const own = min(BLOCK, all - start);
    const offset = start * width;
    const to = out + (start << 3);
    for (let j: usize = 0; j < <usize>count; j += 4) {
      const four = columns + (j << 2);
      const a = <usize>load<u32>(four) + offset;
      const b = <usize>load<u32>(four, 4) + offset;
      const c = <usize>load<u32>(four, 8) + offset;
      const d = <usize>load<u32>(four, 12) + offset;
      if (single) addFour(to, own, true, a, b, c, d, coefficients + (j << 3));
      else addFour(to, own, false, a, b, c, d, coefficients + (j << 3));
    }
  }
}

/** sums += what a block of four columns gives by its slopes. @inline */
function sumFour(
  slopes: usize,
  rows: usize,
  single: bool,
  a: usize,
  b: usize,
  c: usize,
  d: usize,
  sums: usize,
): void {
  const zero = f64x2.splat(0);
  let a0 = zero;
  let a1 = zero;
  let b0 = zero;
  let b1 = zero;
  let c0 = zero;
  let c1 = zero;
  let d0 = zero;
  let d1 = zero;
  const step: usize = single ? 16 : 32;
  let x: usize = 0;
  const end = slopes + (rows << 3);
  for (let from = slopes; from < end; from += 32, x += step) {
    const low = v128.load(from);
    const high = v128.load(from, 16);
    a0 = f64x2.add(a0, f64x2.mul(low, lowOf(a + x, single)));
    a1 = f64x2.add(a1, f64x2.mul(high, highOf(a + x, single)));
    b0 = f64x2.add(b0, f64x2.mul(low, lowOf(b + x, single)));
    b1 = f64x2.add(b1, f64x2.mul(high, highOf(b + x, single)));
    c0 = f64x2.add(c0, f64x2.mul(low, lowOf(c + x, single)));
    c1 = f64x2.add(c1, f64x2.mul(high, highOf(c + x, single)));
    d0 = f64x2.add(d0, f64x2.mul(low, lowOf(d + x, single)));
    d1 = f64x2.add(d1, f64x2.mul(high, highOf(d + x, single)));
  }
  store<f64>(sums, load<f64>(sums) + total(f64x2.add(a0, a1)));
  store<f64>(sums, load<f64>(sums, 8) + total(f64x2.add(b0, b1)), 8);
  store<f64>(sums, load<f64>(sums, 16) + total(f64x2.add(c0, c1)), 16);
  store<f64>(sums, load<f64>(sums, 24) + total(f64x2.add(d0, d1)), 24);
}

/**
 * Sums of the columns by slopes, one a column.
 *
 * @param count of columns, a multiple of four; @param columns as in `designMargins`
 * @param slopes f64 × rows
 * @param sums f64 × count, written over
 */
export function designSums(
  rows: i32,
  single: i32,
  count: i32,
  columns: usize,
  slopes: usize,
  sums: usize,
): void {
  memory.fill(sums, 0, (<usize>count) << 3);
  const all = <usize>rows;
  const width: usize = single ? 4 : 8;
  for (let start: usize = 0; start < all; start += BLOCK) {
    const own = min(BLOCK, all - start);
    const offset = start * width;
    const from = slopes + (start << 3);
    for (let j: usize = 0; j < <usize>count; j += 4) {
      const four = columns + (j << 2);
      const a = <usize>load<u32>(four) + offset;
      const b = <usize>load<u32>(four, 4) + offset;
      const c = <usize>load<u32>(four, 8) + offset;
      const d = <usize>load<u32>(four, 12) + offset;
      if (single) sumFour(from, own, true, a, b, c, d, sums + (j << 3));
      else sumFour(from, own, false, a, b, c, d, sums + (j << 3));
    }
  }
}

/** Σ share x² of a column. */
export function columnSquares(rows: i32, single: i32, column: usize, shares: usize): f64 {
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  const step: usize = single ? 16 : 32;
  const end = shares + ((<usize>rows) << 3);
  let x = column;
  for (let from = shares; from < end; from += 32, x += step) {
    const a = lowOf(x, single !== 0);
    const b = highOf(x, single !== 0);
    low = f64x2.add(low, f64x2.mul(v128.load(from), f64x2.mul(a, a)));
    high = f64x2.add(high, f64x2.mul(v128.load(from, 16), f64x2.mul(b, b)));
  }
  return total(f64x2.add(low, high));
}

/**
 * Columns of a block of rows by the roots of the rows' weights, in the layout of `symmetric.ts`: row groups of
 * four columns of the design, each row after row.
 *
 * @param columns as in `designMargins`, all at the block's first row
 * @param roots f64 × rows
 * @param panel f64, count × rows
 */
export function packDesign(
  rows: i32,
  single: i32,
  count: i32,
  columns: usize,
  skipped: usize,
  roots: usize,
  panel: usize,
): void {
  const line = (<usize>rows) << 5;
  for (let j: usize = 0; j < <usize>count; j++) {
    const column = <usize>load<u32>(columns + (j << 2)) + skipped * (single ? 4 : 8);
    let to = panel + (j >> 2) * line + ((j & 3) << 3);
    for (let i: usize = 0; i < <usize>rows; i++, to += 32) {
      const cell = single ? <f64>load<f32>(column + (i << 2)) : load<f64>(column + (i << 3));
      store<f64>(to, cell * load<f64>(roots + (i << 3)));
    }
  }
}

/**
 * Σ share · (log(1 + exp(margin)) - target · margin), and its slopes by the margins.
 *
 * @param count of rows, an even number; shares of what is filled up are 0
 * @param slopes f64 a row; 0 = not wanted
 */
export function logisticSlopes(
  count: i32,
  margins: usize,
  shares: usize,
  targets: usize,
  slopes: usize,
): f64 {
  const one = f64x2.splat(1);
  const zero = f64x2.splat(0);
  let sums = zero;
  const end = (<usize>count) << 3;
  for (let at: usize = 0; at < end; at += 16) {
    const margin = v128.load(margins + at);
    const share = v128.load(shares + at);
    const target = v128.load(targets + at);
    const e = expInRange(f64x2.pmax(f64x2.neg(f64x2.abs(margin)), f64x2.splat(-708.0)));
    const above = f64x2.add(one, e);
    const entropy = f64x2.add(logPair(above), f64x2.pmax(margin, zero));
    const loss = f64x2.sub(entropy, f64x2.mul(target, margin));
    sums = f64x2.add(sums, f64x2.mul(share, loss));
    if (slopes === 0) continue;
    const upwards = v128.bitselect(one, e, f64x2.ge(margin, zero));
    const away = f64x2.sub(f64x2.div(upwards, above), target);
    v128.store(slopes + at, f64x2.mul(share, away));
  }
  return total(sums);
}
