/** The bag of rows that a forest's tree learns from, with integer multiplicities. */

import { below, philox } from "./philox";

/** Draws `draws` of `count` positions with replacement: `times` (u32, zero before) counts them. */
export function drawWithReplacement(
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
export function drawWithoutReplacement(
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
 * @param rows u32 × count; @param stats 16 bytes each (see `forest-node.ts`)
 * @param classes 0 where both halves are multiplied
 * @returns how many rows are in the bag
 */
export function fillBag(
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
