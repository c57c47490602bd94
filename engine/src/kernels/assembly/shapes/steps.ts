/**
 * A step of one term of an additive model, from the sums of the gradients in its cells: of each bag and output a small
 * tree over the bins of a number or over two features, or every category's own step. Layouts as in `pass.ts`.
 */

import { CATEGORIES, NUMBER } from "./layout";

const MOST_LEAVES: i32 = 8;
/** Bytes of a segment while a number is cut: first bin, end, cut, gain. */
const SEGMENT: usize = 24;

function at(array: usize, index: i32): f64 {
  return load<f64>(array + (usize(index) << 3));
}

function put(array: usize, index: i32, value: f64): void {
  store<f64>(array + (usize(index) << 3), value);
}

function scoreOf(g: f64, h: f64, l2: f64): f64 {
  const curved = h + l2;
  return curved > 0 ? (g * g) / curved : 0;
}

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
function stepNumber(
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

/**
 * Towards what one-way random effects would say of each category, the others' steps given: its own mean of working
 * responses, shrunk by the variance within categories over that between them, which is estimated by moments (Searle,
 * Casella & McCulloch, "Variance Components", 1992, §3.6). Where no variance lies between them, back to 0.
 */
function stepCategories(
  cells: i32,
  gradients: usize,
  hessians: usize,
  values: usize,
  known: usize,
  dispersion: f64,
): void {
  let total: f64 = 0;
  let squares: f64 = 0;
  let mean: f64 = 0;
  let levels: f64 = 0;
  for (let cell = 0; cell < cells; cell++) {
    const h = at(hessians, cell);
    if (!(h > 0)) continue;
    levels += 1;
    total += h;
    squares += h * h;
    mean += h * at(known, cell) - at(gradients, cell);
  }
  if (!(total > 0)) {
    for (let cell = 0; cell < cells; cell++) put(values, cell, 0);
    return;
  }
  mean /= total;
  let spread: f64 = 0;
  for (let cell = 0; cell < cells; cell++) {
    const h = at(hessians, cell);
    if (!(h > 0)) continue;
    const away = at(known, cell) - at(gradients, cell) / h - mean;
    spread += h * away * away;
  }
  const room = total - squares / total;
  // What noise would hardly exceed, by two deviations: categories of few rows would follow it half of the time.
  const freedom = levels - 1;
  const expected = dispersion * (freedom + 2 * sqrt<f64>(2 * freedom));
  const between = room > 0 ? max(0, (spread - expected) / room) : 0;
  for (let cell = 0; cell < cells; cell++) {
    const h = at(hessians, cell);
    const now = at(known, cell);
    let wanted: f64 = 0;
    if (h > 0 && between > 0) {
      const away = now - at(gradients, cell) / h - mean;
      wanted = (away * h) / (h + dispersion / between);
    }
    put(values, cell, wanted - now);
  }
}

/** Sums of the cells above and left of a corner of a grid. */
function corner(sums: usize, i: i32, j: i32, width: i32, turned: bool): f64 {
  return turned ? at(sums, j * (width + 1) + i) : at(sums, i * (width + 1) + j);
}

/**
 * One cut of one feature, and on either side of it one of the other, as in FAST's figure of an interaction (Lou, Caruana,
 * Gehrke & Hooker, "Accurate intelligible models with pairwise interactions", KDD'13, §4.2).
 */
function stepPair(
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

/**
 * Writes the steps of all bags and outputs, and adds them to the table.
 *
 * @returns what whole steps would bring: twice the fall of the loss's second-order expansion, over all bags and outputs
 * @param kind NUMBER (cells: bins and the missing one), CATEGORIES (likewise), PAIR (height × width)
 * @param covers f64 quads, (cell × groups + group): hessians of `shapePass` with COVERS, as `totals`, of one output
 * @param weighed whether hessians are the covers
 * @param scratch f64: 5 arrays of cells, then 3 of (height + 1) × (width + 1) and 8 segments
 */
export function shapeSteps(
  kind: i32,
  height: i32,
  width: i32,
  totals: usize,
  covers: usize,
  weighed: i32,
  table: usize,
  steps: usize,
  groups: i32,
  outputs: i32,
  rate: f64,
  l2: f64,
  leastRows: f64,
  smooth: f64,
  dispersion: f64,
  leaves: i32,
  monotone: i32,
  scratch: usize,
): f64 {
  let gain: f64 = 0;
  const cells = height * width;
  const array = usize(cells) << 3;
  const gradients = scratch;
  const hessians = scratch + array;
  const own = scratch + 2 * array;
  const values = scratch + 3 * array;
  const known = scratch + 4 * array;
  const rest = scratch + 5 * array;
  for (let group = 0; group < groups; group++) {
    for (let output = 0; output < outputs; output++) {
      for (let lane = 0; lane < 4; lane++) {
        for (let cell = 0; cell < cells; cell++) {
          const quad = usize((cell * groups + group) * outputs + output);
          const cover = load<f64>(covers + (usize(cell * groups + group) << 6) + 32 + (lane << 3));
          put(gradients, cell, load<f64>(totals + (quad << 6) + (lane << 3)));
          put(hessians, cell, weighed ? cover : load<f64>(totals + (quad << 6) + 32 + (lane << 3)));
          put(own, cell, cover);
          put(known, cell, f64(load<f32>(table + (quad << 4) + (lane << 2))));
        }
        if (kind === NUMBER) {
          stepNumber(
            cells,
            gradients,
            hessians,
            own,
            values,
            known,
            l2,
            leastRows,
            smooth,
            leaves,
            monotone,
            rest,
          );
        } else if (kind === CATEGORIES) {
          stepCategories(cells, gradients, hessians, values, known, dispersion);
        } else {
          stepPair(height, width, gradients, hessians, own, values, l2, leastRows, rest);
        }
        for (let cell = 0; cell < cells; cell++) {
          const quad = usize((cell * groups + group) * outputs + output);
          const place = (quad << 4) + (usize(lane) << 2);
          gain -= at(gradients, cell) * at(values, cell);
          const step = f32(rate * at(values, cell));
          store<f32>(steps + place, step);
          store<f32>(table + place, load<f32>(table + place) + step);
        }
      }
    }
  }
  return gain;
}
