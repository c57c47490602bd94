/**
 * The edges between a numeric column's bins, as `numericEdges` of `data/binning/fit-binning.ts` has them, of a
 * column that is not sorted: values are dealt on cells of equal width, and only cells where an edge lies are sorted.
 */

import { dealOnCells, dealtCells, dealtValues, sortRange } from "./bucket-sort";
import { ENDS_BYTES, SORTED, VALUES } from "./layout";

// Of the column whose edges are wanted.
let dealt: usize = 0;
let spare: usize = 0;
let cellOf: usize = 0;
let ends: usize = 0;
let sorted: usize = 0;

/** A number e with a ≤ e < b, the midpoint where one exists. */
function between(a: f64, b: f64): f64 {
  const middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

/** @inline */
function valueAt(place: i32): f64 {
  return load<f64>(dealt + (usize(place) << 3));
}

/** @inline */
function endOf(cell: i32): i32 {
  return load<i32>(ends + (usize(cell) << 2));
}

/** @inline */
function beginOf(cell: i32): i32 {
  return cell === 0 ? 0 : endOf(cell - 1);
}

function sortCell(cell: i32): void {
  const mark = sorted + usize(cell);
  if (load<u8>(mark) !== 0) return;
  store<u8>(mark, 1);
  const begin = beginOf(cell);
  const at = usize(begin) << 3;
  const size = endOf(cell) - begin;
  if (size < 2) return;
  sortRange(dealt + at, size, spare + at, cellOf + (at >> 2), ends + ENDS_BYTES, 1);
}

/** Where the run of equal values that `from` is in ends. */
function endOfRun(from: i32, end: i32): i32 {
  const value = valueAt(from);
  let at = from + 1;
  while (at < end && valueAt(at) === value) at++;
  return at;
}

/** Whether a value is in so many rows; it would be in a cell of as many. Sorts those cells. */
function hasHeavy(cells: i32, heavyCount: f64): bool {
  let begin = 0;
  for (let cell = 0; cell < cells; cell++) {
    const end = endOf(cell);
    if (f64(end - begin) >= heavyCount) {
      sortCell(cell);
      for (let at = begin; at < end; ) {
        const next = endOfRun(at, end);
        if (f64(next - at) >= heavyCount) return true;
        at = next;
      }
    }
    begin = end;
  }
  return false;
}

/** Bins of about equal count, where no value is heavy: the next edge is behind the value of a rank. */
function lightEdges(present: i32, bins: i32, edges: usize): i32 {
  let count = 0;
  let passed = 0;
  let cell = 0;
  let mean = f64(present) / f64(bins);
  while (count < bins - 1) {
    const place = f64(passed) + Math.max(1, Math.ceil(mean)) - 1;
    if (!(place < f64(present))) break;
    while (endOf(cell) <= i32(place)) cell++;
    sortCell(cell);
    const end = endOfRun(i32(place), endOf(cell));
    if (end === present) break;
    const value = valueAt(i32(place));
    while (endOf(cell) <= end) cell++;
    sortCell(cell);
    store<f64>(edges + (usize(count) << 3), between(value, valueAt(end)));
    count++;
    passed = end;
    const left = bins - count;
    mean = left > 0 ? f64(present - passed) / f64(left) : Infinity;
  }
  return count;
}

/** Of sorted values, of which some are heavy, or no more are different than there are bins. */
function walkedEdges(
  present: i32,
  distinct: i32,
  maxBins: i32,
  bins: i32,
  minData: i32,
  edges: usize,
): i32 {
  let count = 0;
  let held = 0;
  if (distinct <= maxBins) {
    for (let at = 0; at < present; ) {
      const next = endOfRun(at, present);
      held += next - at;
      if (next < present && held >= minData) {
        store<f64>(edges + (usize(count) << 3), between(valueAt(at), valueAt(next)));
        count++;
        held = 0;
      }
      at = next;
    }
    return count;
  }
  const heavyCount = f64(present) / f64(bins);
  let lightRows = present;
  let lightBins = bins;
  for (let at = 0; at < present; ) {
    const next = endOfRun(at, present);
    if (f64(next - at) >= heavyCount) {
      lightRows -= next - at;
      lightBins--;
    }
    at = next;
  }
  let mean = lightBins > 0 ? f64(lightRows) / f64(lightBins) : Infinity;
  let at = 0;
  let next = endOfRun(0, present);
  while (next < present && count < bins - 1) {
    const here = next - at;
    const after = endOfRun(next, present);
    const heavy = f64(here) >= heavyCount;
    if (!heavy) lightRows -= here;
    held += here;
    const beforeHeavy = f64(after - next) >= heavyCount && f64(held) >= Math.max(1, mean / 2);
    if (heavy || f64(held) >= mean || beforeHeavy) {
      store<f64>(edges + (usize(count) << 3), between(valueAt(at), valueAt(next)));
      count++;
      held = 0;
      if (!heavy) {
        lightBins--;
        mean = lightBins > 0 ? f64(lightRows) / f64(lightBins) : Infinity;
      }
    }
    at = next;
    next = after;
  }
  return count;
}

/**
 * @param values f64 × count; NaN is missing
 * @param scratch as in `layout.ts`
 * @param edges f64, ascending, at most `maxBins` - 1 of them
 * @returns how many; -1 where values are so far apart that their range is infinite
 */
export function columnEdges(
  values: usize,
  count: i32,
  maxBins: i32,
  minData: i32,
  scratch: usize,
  edges: usize,
): i32 {
  ends = scratch;
  sorted = scratch + SORTED;
  dealt = scratch + VALUES;
  spare = dealt + (usize(count) << 3);
  cellOf = spare + (usize(count) << 3);
  if (!dealOnCells(values, count, ends, cellOf, dealt)) return -1;
  const cells = dealtCells;
  const present = dealtValues;
  if (present === 0) return 0;
  memory.fill(sorted, 0, usize(cells));
  let filled = 0;
  for (let cell = 0; cell < cells; cell++) filled += i32(endOf(cell) > beginOf(cell));
  const bins = max(1, min(maxBins, present / max(1, minData)));
  if (filled > maxBins && !hasHeavy(cells, f64(present) / f64(bins))) {
    return lightEdges(present, bins, edges);
  }
  for (let cell = 0; cell < cells; cell++) sortCell(cell);
  let distinct = 0;
  for (let at = 0; at < present; at = endOfRun(at, present)) distinct++;
  return walkedEdges(present, distinct, maxBins, bins, minData, edges);
}
