/** The bag of rows that a forest's tree learns from, with integer multiplicities. */

import { below, philox } from "../numbers/philox";
import { pointer } from "./best-split";
import {
  BAG_KEY_HIGH,
  BAG_KEY_LOW,
  CLASSES,
  DISTINCT_ROWS,
  DRAWS,
  ROW_COUNT,
  ROWS,
  SOURCE_COUNT,
  SOURCE_ROWS,
  SOURCE_STATS,
  STARTS,
  STATS,
  TIMES,
  WITH_REPLACEMENT,
} from "./layout";

/** Draws `draws` of `count` positions with replacement: `times` (u32, zero before) counts them. */
function drawWithReplacement(
  count: u32,
  draws: u32,
  keyLow: u32,
  keyHigh: u32,
  times: usize,
): void {
  for (let i: u32 = 0; i < draws; i += 2) {
    const bits = philox(i >> 1, 0, 4, keyLow, keyHigh);
    const first = times + (usize(below(count, u32(bits))) << 2);
    store<u32>(first, load<u32>(first) + 1);
    if (i + 1 === draws) break;
    const second = times + (usize(below(count, u32(bits >> 32))) << 2);
    store<u32>(second, load<u32>(second) + 1);
  }
}

/** Draws `draws` of `count` positions without replacement (Knuth's selection sampling). */
function drawWithoutReplacement(
  count: u32,
  draws: u32,
  keyLow: u32,
  keyHigh: u32,
  times: usize,
): void {
  let wanted = draws;
  for (let i: u32 = 0; i < count; i++) {
    const bits = philox(i, 0, 5, keyLow, keyHigh);
    const chosen = below(count - i, u32(bits)) < wanted;
    store<u32>(times + (usize(i) << 2), u32(chosen));
    if (chosen) wanted--;
  }
}

/**
 * Lists the rows drawn at least once, with their statistics times the number of draws.
 *
 * @param rows u32 × count; @param stats 16 bytes each (see `node.ts`)
 * @param classes 0 where both halves are multiplied
 * @returns how many rows are in the bag
 */
function fillBag(
  count: i32,
  rows: usize,
  stats: usize,
  times: usize,
  classes: i32,
  bagRows: usize,
  bagStats: usize,
): i32 {
  let to = bagRows;
  let toStat = bagStats;
  for (let i: usize = 0; i < usize(count); i++) {
    const drawn = load<u32>(times + (i << 2));
    if (drawn === 0) continue;
    const stat = stats + (i << 4);
    const weight = load<f64>(stat) * f64(drawn);
    store<u32>(to, load<u32>(rows + (i << 2)));
    store<f64>(toStat, weight);
    if (classes === 0) store<f64>(toStat, load<f64>(stat, 8) * f64(drawn), 8);
    else store<u64>(toStat, load<u64>(stat, 8), 8);
    to += 4;
    toStat += 16;
  }
  return i32((to - bagRows) >> 2);
}

/** From how often each row was drawn to how often each of its entries is: from the back, in place. */
function repeatTimes(times: usize, starts: usize, rows: i32): void {
  for (let row = rows - 1; row >= 0; row--) {
    const drawn = load<u32>(times + (usize(row) << 2));
    const from = load<u32>(starts + (usize(row) << 2));
    const to = load<u32>(starts + (usize(row + 1) << 2));
    for (let entry = from; entry < to; entry++) store<u32>(times + (usize(entry) << 2), drawn);
  }
}

/** Draws the rows of a tree, whose block is `p`. */
export function drawRows(p: usize): void {
  const rows = load<u32>(p, DISTINCT_ROWS);
  const draws = load<u32>(p, DRAWS);
  const times = pointer(p, TIMES);
  const low = load<u32>(p, BAG_KEY_LOW);
  const high = load<u32>(p, BAG_KEY_HIGH);
  if (draws === rows && !load<i32>(p, WITH_REPLACEMENT)) {
    for (let i: usize = 0; i < usize(rows); i++) store<u32>(times + (i << 2), 1);
  } else if (load<i32>(p, WITH_REPLACEMENT)) {
    memory.fill(times, 0, usize(rows) << 2);
    drawWithReplacement(rows, draws, low, high, times);
  } else drawWithoutReplacement(rows, draws, low, high, times);
  const starts = pointer(p, STARTS);
  if (starts !== 0) repeatTimes(times, starts, i32(rows));
  const inBag = fillBag(
    load<i32>(p, SOURCE_COUNT),
    pointer(p, SOURCE_ROWS),
    pointer(p, SOURCE_STATS),
    times,
    load<i32>(p, CLASSES),
    pointer(p, ROWS),
    pointer(p, STATS),
  );
  store<i32>(p, inBag, ROW_COUNT);
}
