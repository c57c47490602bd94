/** Values on cells of equal width, and ranges of them sorted: again by cells, where few are left by comparing. */

import { CELLS, ENDS_BYTES, LEVELS } from "./layout";

const FEW: i32 = 32;
/** Values that a cell has on average. */
const VALUES_A_CELL: i32 = 8;
/** Of which the middle is found, and those at either end that it leaves out. */
const LOOKED_AT: i32 = 64;
const TAIL: usize = 1;

/** Present values of the last deal, and the cells that it used. */
export let dealtValues: i32 = 0;
export let dealtCells: i32 = 0;

// Between them lie the cells; values beyond share the outer ones.
let least: f64 = 0;
let most: f64 = 0;

function findRange(values: usize, count: i32): void {
  let lows = f64x2.splat(Infinity);
  let highs = f64x2.splat(-Infinity);
  const even = usize(count & ~1) << 3;
  for (let at: usize = 0; at < even; at += 16) {
    const pair = v128.load(values + at);
    // Both keep the first one beside NaN.
    lows = f64x2.pmin(lows, pair);
    highs = f64x2.pmax(highs, pair);
  }
  least = min(f64x2.extract_lane(lows, 0), f64x2.extract_lane(lows, 1));
  most = max(f64x2.extract_lane(highs, 0), f64x2.extract_lane(highs, 1));
  if ((count & 1) === 0) return;
  const odd = load<f64>(values + even);
  if (odd < least) least = odd;
  if (odd > most) most = odd;
}

/**
 * The range of the middle of some values, so that few that are far off leave cells to the others.
 *
 * @param spare f64 × LOOKED_AT
 * @returns whether it has a width
 */
function findMiddle(values: usize, count: i32, spare: usize): bool {
  const step = count / LOOKED_AT;
  let present = 0;
  for (let i = 0; i < LOOKED_AT; i++) {
    const value = load<f64>(values + (usize(i * step) << 3));
    if (!(value <= Infinity)) continue;
    store<f64>(spare + (usize(present) << 3), value);
    present++;
  }
  if (present < LOOKED_AT / 2) return false;
  insertionSort(spare, present);
  least = load<f64>(spare + (TAIL << 3));
  most = load<f64>(spare + ((usize(present) - 1 - TAIL) << 3));
  return most > least && most - least < Infinity;
}

/**
 * Deals values on cells, in ascending order of the cells; those that are missing are left out, and few that are far from
 * the middle of all are in the outer cells.
 *
 * @param values f64 × count @param ends i32 a cell: where its values end @param cellOf u16 × count, working memory
 * @param out f64 × count
 * @returns false where the values have no finite range: nothing is dealt
 */
export function dealOnCells(
  values: usize,
  count: i32,
  ends: usize,
  cellOf: usize,
  out: usize,
): bool {
  if (count < 2 * LOOKED_AT || !findMiddle(values, count, out)) findRange(values, count);
  if (least > most) {
    // All are missing.
    store<i32>(ends, 0);
    dealtValues = 0;
    dealtCells = 1;
    return true;
  }
  if (!(most - least < Infinity)) return false;
  deal(values, count, ends, cellOf, out);
  return true;
}

/** As `dealOnCells`, of the range that was found. */
function deal(values: usize, count: i32, ends: usize, cellOf: usize, out: usize): void {
  const range = most - least;
  let cells: i32 = 16;
  while (cells < CELLS && cells * VALUES_A_CELL < count) cells <<= 1;
  dealtCells = cells;
  memory.fill(ends, 0, (usize(cells) + 1) << 2);
  const scale = range > 0 ? f64(cells) / range : 0;
  const scales = f64x2.splat(scale);
  const leasts = f64x2.splat(least);
  const firstCell = i32x4.splat(0);
  const lastCell = i32x4.splat(cells - 1);
  const even = usize(count & ~1) << 3;
  const missing = i32x4.splat(cells);
  for (let at: usize = 0; at < even; at += 16) {
    const pair = v128.load(values + at);
    const place = f64x2.mul(f64x2.sub(pair, leasts), scales);
    const above = i32x4.max_s(i32x4.trunc_sat_f64x2_s_zero(place), firstCell);
    const cell = i32x4.min_s(above, lastCell);
    const absent = f64x2.ne(pair, pair);
    const chosen = v128.bitselect(missing, cell, v128.shuffle<i32>(absent, absent, 0, 2, 0, 2));
    const first = i32x4.extract_lane(chosen, 0);
    const second = i32x4.extract_lane(chosen, 1);
    store<u16>(cellOf + (at >> 2), u16(first));
    store<u16>(cellOf + (at >> 2), u16(second), 2);
    countOne(ends, first);
    countOne(ends, second);
  }
  if (count & 1) {
    const odd = load<f64>(values + even);
    const place = f64x2.splat((odd - least) * scale);
    const cell = i32x4.extract_lane(i32x4.trunc_sat_f64x2_s_zero(place), 0);
    const chosen = odd <= Infinity ? min(max(cell, 0), cells - 1) : cells;
    store<u16>(cellOf + (even >> 2), u16(chosen));
    countOne(ends, chosen);
  }
  let sum = 0;
  for (let cell = 0; cell <= cells; cell++) {
    const at = ends + (usize(cell) << 2);
    const here = load<i32>(at);
    store<i32>(at, sum);
    sum += here;
  }
  // Missing values go behind all others, where nobody looks.
  dealtValues = load<i32>(ends + (usize(cells) << 2));
  for (let i: usize = 0; i < usize(count); i++) {
    const at = ends + (usize(load<u16>(cellOf + (i << 1))) << 2);
    const place = load<i32>(at);
    store<i32>(at, place + 1);
    // No -0.
    store<f64>(out + (usize(place) << 3), load<f64>(values + (i << 3)) + 0);
  }
}

/** @inline */
function countOne(ends: usize, cell: i32): void {
  const at = ends + (usize(cell) << 2);
  store<i32>(at, load<i32>(at) + 1);
}

/**
 * Sorts finite values in place.
 *
 * @param spare f64 × count, and @param cellOf u16 × count: working memory @param ends tables of the levels from this one on
 */
export function sortRange(
  values: usize,
  count: i32,
  spare: usize,
  cellOf: usize,
  ends: usize,
  level: i32,
): void {
  if (count <= FEW) {
    insertionSort(values, count);
    return;
  }
  findRange(values, count);
  if (least === most) return;
  if (level === LEVELS || !(most - least < Infinity)) {
    heapSort(values, count);
    return;
  }
  deal(values, count, ends, cellOf, spare);
  const cells = dealtCells;
  memory.copy(values, spare, usize(count) << 3);
  let begin = 0;
  for (let cell = 0; cell < cells; cell++) {
    const end = load<i32>(ends + (usize(cell) << 2));
    const size = end - begin;
    const at = usize(begin) << 3;
    if (size > 1) {
      sortRange(values + at, size, spare + at, cellOf + (at >> 2), ends + ENDS_BYTES, level + 1);
    }
    begin = end;
  }
}

function insertionSort(values: usize, count: i32): void {
  const end = values + (usize(count) << 3);
  for (let at = values + 8; at < end; at += 8) {
    const value = load<f64>(at);
    let to = at;
    while (to > values && load<f64>(to - 8) > value) {
      store<f64>(to, load<f64>(to - 8));
      to -= 8;
    }
    store<f64>(to, value);
  }
}

function heapSort(values: usize, count: i32): void {
  for (let root = (count >> 1) - 1; root >= 0; root--) sink(values, root, count);
  for (let end = count - 1; end > 0; end--) {
    const last = values + (usize(end) << 3);
    const value = load<f64>(last);
    store<f64>(last, load<f64>(values));
    store<f64>(values, value);
    sink(values, 0, end);
  }
}

function sink(values: usize, from: i32, count: i32): void {
  const value = load<f64>(values + (usize(from) << 3));
  let hole = from;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= count) break;
    let at = values + (usize(child) << 3);
    if (child + 1 < count && load<f64>(at, 8) > load<f64>(at)) {
      child++;
      at += 8;
    }
    const other = load<f64>(at);
    if (!(other > value)) break;
    store<f64>(values + (usize(hole) << 3), other);
    hole = child;
  }
  store<f64>(values + (usize(hole) << 3), value);
}
