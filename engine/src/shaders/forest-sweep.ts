/**
 * The best cut of an order of bins in the shader that grows forests: all cuts at once, a thread each, with the scores
 * of `kernels/assembly/forests/split.ts`. The first of the best is taken, as there.
 */

import { f64Literal } from "./f64.ts";
import type { ForestForm } from "./forest-form.ts";
import { NOISE_OF_CUT } from "./split-noise.ts";

const SWEEP = /* wgsl */ `
/** Of the node. */
var<workgroup> totalWeight: vec2<u32>;
var<workgroup> parentScore: vec2<u32>;
/** Of the order; 0: it is not made of the targets. */
var<workgroup> noise: vec2<u32>;
/** Of the best cut so far: its score, weight of its left side. */
var<workgroup> foundScore: vec2<u32>;
var<workgroup> foundWeight: vec2<u32>;
/** Of the last sweep: bins of the order that go left; 0: no cut was better. */
var<workgroup> foundCount: u32;
/** Numbers of 64 bits of all threads. */
var<workgroup> lowWords: array<u32, 256>;
var<workgroup> highWords: array<u32, 256>;

fn numberOf(thread: u32) -> vec2<u32> { return vec2<u32>(lowWords[thread], highWords[thread]); }

fn keepNumber(thread: u32, value: vec2<u32>) {
  lowWords[thread] = value.x;
  highWords[thread] = value.y;
}

/** Sums of the numbers of the threads before this one. */
fn scanBefore(thread: u32, value: vec2<u32>) -> vec2<u32> {
  keepNumber(thread, value);
  workgroupBarrier();
  var sum = value;
  for (var step = 1u; step < THREADS; step <<= 1u) {
    var other = vec2<u32>(0u, 0u);
    if (thread >= step) { other = numberOf(thread - step); }
    workgroupBarrier();
    sum = wholePlus(sum, other);
    keepNumber(thread, sum);
    workgroupBarrier();
  }
  // Others may still read what was kept.
  var before = vec2<u32>(0u, 0u);
  if (thread > 0u) { before = numberOf(thread - 1u); }
  workgroupBarrier();
  return before;
}

${NOISE_OF_CUT}

fn expectedOfNoise(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
  if (isZero(noise)) { return ZERO; }
  let weight = plus(left, right);
  return noiseOfCut(over(times(${f64Literal(4)}, times(left, right)), times(weight, weight)));
}

fn squaresPlus(sum: vec2<u32>, value: vec2<u32>) -> vec2<u32> { return plus(sum, times(value, value)); }

/** Of the cuts behind the bins of this thread: weight and product of the left side, or squares of both sides. */
struct Cut {
  rows: u32,
  weight: vec2<u32>,
  product: vec2<u32>,
  lefts: vec4<u32>,
  rights: vec4<u32>,
}

/**
 * Tries the cuts behind each of the first so many bins of the order, or behind \`only\` alone.
 *
 * @param joined a bin that goes left from the start, or NONE
 */
fn sweep(thread: u32, touched: u32, limit: u32, only: u32, joined: u32) {
  let first = thread * BINS_OF_THREAD;
  let many = min(touched, first + BINS_OF_THREAD) - min(touched, first);
  var cuts: array<Cut, BINS_OF_THREAD>;
  for (var c = 0u; c <= WIDTH; c++) {
    // The rows, then column by column.
    var own = vec2<u32>(0u, 0u);
    for (var i = 0u; i < many; i++) { own = wholePlus(own, partAt(order[first + i], c)); }
    var sum = scanBefore(thread, own);
    if (joined != NONE) { sum = wholePlus(sum, partAt(joined, c)); }
    for (var i = 0u; i < many; i++) {
      sum = wholePlus(sum, partAt(order[first + i], c));
      if (c == 0u) {
        cuts[i] = Cut();
        cuts[i].rows = sum.x;
      } else { addColumn(&cuts[i], c - 1u, fromWhole(sum)); }
    }
  }
  let rowsOfNode = atomicLoad(&distinct);
  var rank = vec2<u32>(0u, 0u);
  var best = 0u;
  var bestScore = ZERO;
  for (var i = 0u; i < many; i++) {
    let at = first + i;
    let isTried = select(at < limit, at == only, only != NONE)
      && cuts[i].rows >= shape.minLeaf && rowsOfNode - cuts[i].rows >= shape.minLeaf;
    if (!isTried) { continue; }
    let score = scoreOf(cuts[i]);
    if (isBelow(rank, ordered(score))) {
      rank = ordered(score);
      best = i;
      bestScore = score;
    }
  }
  keepNumber(thread, rank);
  lanes[thread] = thread;
  workgroupBarrier();
  for (var step = THREADS / 2u; step > 0u; step >>= 1u) {
    if (thread < step) {
      let mine = numberOf(thread);
      let other = numberOf(thread + step);
      let isEqual = isSame(mine, other) && lanes[thread + step] < lanes[thread];
      if (isBelow(mine, other) || isEqual) {
        keepNumber(thread, other);
        lanes[thread] = lanes[thread + step];
      }
    }
    workgroupBarrier();
  }
  let isBest = lanes[0] == thread;
  let isBetter = isBelow(ordered(foundScore), numberOf(0u));
  workgroupBarrier();
  if (thread == 0u) { foundCount = 0u; }
  workgroupBarrier();
  if (isBest && isBetter) {
    foundCount = first + best + 1u;
    foundScore = bestScore;
    foundWeight = cuts[best].weight;
  }
  workgroupBarrier();
}

/** Of a bin: its rows, or a column's sum. */
fn partAt(bin: u32, part: u32) -> vec2<u32> {
  if (part == 0u) { return vec2<u32>(atomicLoad(&counts[bin]), 0u); }
  return sumAt(bin, part - 1u);
}

fn isSame(one: vec2<u32>, other: vec2<u32>) -> bool { return one.x == other.x && one.y == other.y; }
`;

/** Of one target: weight and weight × target. */
const MOMENTS = /* wgsl */ `
fn addColumn(cut: ptr<function, Cut>, column: u32, left: vec2<u32>) {
  if (column == 0u) { (*cut).weight = left; } else { (*cut).product = left; }
}

fn scoreOf(cut: Cut) -> vec2<u32> {
  let rest = minus(totalWeight, cut.weight);
  let d = minus(times(cut.product, totalWeight), times(totals[1], cut.weight));
  let score = over(times(d, d), times(cut.weight, rest));
  return minus(score, expectedOfNoise(cut.weight, rest));
}
`;

/** Of classes: squares of their weights, in two sums each, of even and of odd ones. */
const CLASSES = /* wgsl */ `
fn addColumn(cut: ptr<function, Cut>, column: u32, left: vec2<u32>) {
  (*cut).weight = plus((*cut).weight, left);
  let right = minus(totals[column], left);
  let lefts = (*cut).lefts;
  let rights = (*cut).rights;
  let isEven = (column & 1u) == 0u;
  let ofLeft = squaresPlus(select(lefts.zw, lefts.xy, isEven), left);
  let ofRight = squaresPlus(select(rights.zw, rights.xy, isEven), right);
  (*cut).lefts = select(vec4<u32>(lefts.xy, ofLeft), vec4<u32>(ofLeft, lefts.zw), isEven);
  (*cut).rights = select(vec4<u32>(rights.xy, ofRight), vec4<u32>(ofRight, rights.zw), isEven);
}

fn scoreOf(cut: Cut) -> vec2<u32> {
  let rest = minus(totalWeight, cut.weight);
  let score = plus(
    over(plus(cut.lefts.xy, cut.lefts.zw), cut.weight),
    over(plus(cut.rights.xy, cut.rights.zw), rest),
  );
  return minus(score, expectedOfNoise(cut.weight, rest));
}
`;

export function sweepOf({ hasClasses }: ForestForm): string {
  return SWEEP + (hasClasses ? CLASSES : MOMENTS);
}
