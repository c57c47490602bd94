/** The step of a term of two features: a tree of two levels over their grid. */

import { at, put, scoreOf } from "./cell-sums";

/** Sums of the cells above and left of a corner of a grid. */
function corner(sums: usize, i: i32, j: i32, width: i32, turned: bool): f64 {
  return turned ? at(sums, j * (width + 1) + i) : at(sums, i * (width + 1) + j);
}

/**
 * One cut of one feature, and on either side of it one of the other, as in FAST's figure of an interaction (Lou, Caruana,
 * Gehrke & Hooker, "Accurate intelligible models with pairwise interactions", KDD'13, §4.2).
 */
export function stepPair(
  height: i32,
  width: i32,
  gradients: usize,
  hessians: usize,
  covers: usize,
  values: usize,
  l2: f64,
  leastRows: f64,
  scratch: usize,
): void {
  const stride = usize((height + 1) * (width + 1)) << 3;
  for (let i = 0; i <= height; i++) {
    for (let j = 0; j <= width; j++) {
      const own = i * (width + 1) + j;
      for (let part = 0; part < 3; part++) {
        const sums = scratch + usize(part) * stride;
        const source = part === 0 ? gradients : part === 1 ? hessians : covers;
        put(
          sums,
          own,
          i === 0 || j === 0
            ? 0
            : at(source, (i - 1) * width + j - 1) +
                at(sums, own - 1) +
                at(sums, own - width - 1) -
                at(sums, own - width - 2),
        );
      }
    }
  }
  const g = scratch;
  const h = scratch + stride;
  const c = scratch + 2 * stride;
  const whole = scoreOf(
    corner(g, height, width, width, false),
    corner(h, height, width, width, false),
    l2,
  );
  let best: f64 = 0;
  let bestTurned = false;
  let bestCut = 0;
  let bestLow = 0;
  let bestHigh = 0;
  for (let turn = 0; turn < 2; turn++) {
    const turned = turn === 1;
    const lines = turned ? width : height;
    const along = turned ? height : width;
    for (let cut = 1; cut < lines; cut++) {
      const gLow = corner(g, cut, along, width, turned);
      const hLow = corner(h, cut, along, width, turned);
      const cLow = corner(c, cut, along, width, turned);
      const gHigh = corner(g, lines, along, width, turned) - gLow;
      const hHigh = corner(h, lines, along, width, turned) - hLow;
      const cHigh = corner(c, lines, along, width, turned) - cLow;
      if (cLow < leastRows || cHigh < leastRows) continue;
      let low = scoreOf(gLow, hLow, l2);
      let high = scoreOf(gHigh, hHigh, l2);
      let lowCut = along;
      let highCut = along;
      for (let j = 1; j < along; j++) {
        const ga = corner(g, cut, j, width, turned);
        const ha = corner(h, cut, j, width, turned);
        const ca = corner(c, cut, j, width, turned);
        if (ca >= leastRows && cLow - ca >= leastRows) {
          const gain = scoreOf(ga, ha, l2) + scoreOf(gLow - ga, hLow - ha, l2);
          if (gain > low) {
            low = gain;
            lowCut = j;
          }
        }
        const gb = corner(g, lines, j, width, turned) - ga;
        const hb = corner(h, lines, j, width, turned) - ha;
        const cb = corner(c, lines, j, width, turned) - ca;
        if (cb >= leastRows && cHigh - cb >= leastRows) {
          const gain = scoreOf(gb, hb, l2) + scoreOf(gHigh - gb, hHigh - hb, l2);
          if (gain > high) {
            high = gain;
            highCut = j;
          }
        }
      }
      const gain = low + high - whole;
      if (gain <= best) continue;
      best = gain;
      bestTurned = turned;
      bestCut = cut;
      bestLow = lowCut;
      bestHigh = highCut;
    }
  }
  const lines = bestTurned ? width : height;
  const along = bestTurned ? height : width;
  for (let side = 0; side < 2; side++) {
    const upper = side === 1;
    const split = upper ? bestHigh : bestLow;
    for (let part = 0; part < 2; part++) {
      const low = part === 0 ? 0 : split;
      const high = part === 0 ? split : along;
      const first = upper ? bestCut : 0;
      const last = upper ? lines : bestCut;
      const gl = block(g, first, last, low, high, width, bestTurned);
      const hl = block(h, first, last, low, high, width, bestTurned);
      const value = best > 0 && hl + l2 > 0 ? -gl / (hl + l2) : 0;
      for (let i = first; i < last; i++) {
        for (let j = low; j < high; j++) {
          put(values, bestTurned ? j * width + i : i * width + j, value);
        }
      }
    }
  }
}

function block(
  sums: usize,
  first: i32,
  last: i32,
  low: i32,
  high: i32,
  width: i32,
  turned: bool,
): f64 {
  return (
    corner(sums, last, high, width, turned) -
    corner(sums, first, high, width, turned) -
    corner(sums, last, low, width, turned) +
    corner(sums, first, low, width, turned)
  );
}
