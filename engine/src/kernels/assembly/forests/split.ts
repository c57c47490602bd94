/**
 * The best cut of one feature's bins for a forest.
 *
 * One target: the fall of the squared error, d² / (W W_L W_R) with d = S_L W - S W_L, which has no
 * difference of large sums. Two classes are one target of zeros and ones: the Gini impurity is
 * twice the variance. More classes: the Gini index by Σ L_c² / W_L + Σ R_c² / W_R (Breiman et al.
 * 1984, §4.3). By entropy (Quinlan, "Induction of decision trees", Mach. Learn. 1, 1986), of two classes or more:
 * Σ L_c ln L_c - W_L ln W_L, and the same of the right, which costs logarithms, of small whole numbers from a
 * table. Categories are ordered by their mean target and cut in that order (Fisher 1958); of
 * several classes, by the share of the heaviest one and by that of a random half of them. What such an
 * order finds in noise is taken from the score (`split-noise.ts`).
 */

import { sortBins } from "../growing/sort-bins";
import { expectedOfNoise, mostOfNoise } from "../growing/split-noise";
import { log } from "../numbers/elementary";
import { TABLED } from "./layout";

/** Set once a node. */
let classes: i32 = 0;
let width: i32 = 0;
let totalWeight: f64 = 0;
let totalProduct: f64 = 0;
let totalRows: u32 = 0;
let leastRows: u32 = 0;
let totals: usize = 0;
let sides: usize = 0;
/** Of `layout.ts`; 0: scores are those of the squared error or the Gini index. */
let massLogs: usize = 0;
/** Of these units are weights and products, where there are logarithms: 1 of weight. */
let unit: f64 = 1;
/** Of the order that is swept; 0 where it is not made of the targets. */
let noise: f64 = 0;

/** Of the last sweep: the score, and how many of the order's bins go left. */
export let foundScore: f64 = 0;
export let foundCount: i32 = 0;
export let foundMissingLeft: i32 = 0;
let foundWeight: f64 = 0;

/** n ln n of the whole numbers below TABLED. */
export function fillMassLogs(table: usize): void {
  store<f64>(table, 0);
  for (let n = 1; n < TABLED; n++) store<f64>(table + (usize(n) << 3), f64(n) * log(f64(n)));
}

/** x ln (x / unit) of x ≥ 0 units: whole rows are told apart alike, whatever their units, where these are powers of two. */
function massLog(x: f64): f64 {
  const mass = x / unit;
  if (mass < f64(TABLED)) {
    const whole = u32(mass);
    if (f64(whole) === mass) return load<f64>(massLogs + (usize(whole) << 3)) * unit;
  }
  return x * log(mass);
}

/** Gain in units of the impurity's weight that a score stands for. */
export function gainOf(score: f64): f64 {
  return classes === 0 && massLogs === 0 ? score / totalWeight : score - parentScore();
}

/** A negative gain lets cuts pass that gain nothing. */
export function scoreOf(gain: f64): f64 {
  if (massLogs !== 0) {
    const rounding = max(massLog(totalWeight), totalWeight) * -1e-12;
    return parentScore() + (gain < 0 ? rounding : gain);
  }
  if (classes === 0) return gain * totalWeight;
  const parent = parentScore();
  return parent + (gain < 0 ? parent * -1e-12 : max(gain, parent * 1e-12));
}

function parentScore(): f64 {
  if (massLogs !== 0) return negativeEntropy(totals, totalWeight, totalProduct);
  let squares: f64 = 0;
  for (let c: usize = 0; c < usize(classes); c++) {
    const weight = load<f64>(totals + (c << 3));
    squares += weight * weight;
  }
  return squares / totalWeight;
}

/** Weight times entropy of some rows, below 0: of `product` of the weight, or of the classes' weights at `entry`. */
function negativeEntropy(entry: usize, weight: f64, product: f64): f64 {
  if (classes === 0) return massLog(product) + massLog(weight - product) - massLog(weight);
  let sum: f64 = 0;
  for (let c: usize = 0; c < usize(classes); c++) sum += massLog(load<f64>(entry + (c << 3)));
  return sum - massLog(weight);
}

/**
 * @param sums of the node: weight and weighted target, or weight per class
 * @param memory 2 × width f64
 * @param logs of `layout.ts`; 0: none
 * @param unitOfWeight units in 1 of weight
 */
export function beginNode(
  classCount: i32,
  entryWidth: i32,
  sums: usize,
  rows: u32,
  minimumRows: u32,
  memory: usize,
  logs: usize,
  unitOfWeight: f64,
): void {
  massLogs = logs;
  unit = unitOfWeight;
  classes = classCount;
  width = entryWidth;
  totals = sums;
  totalRows = rows;
  leastRows = minimumRows;
  sides = memory;
  if (classes === 0) {
    totalWeight = load<f64>(sums);
    totalProduct = load<f64>(sums, 8);
    return;
  }
  totalWeight = 0;
  for (let c: usize = 0; c < usize(classes); c++) totalWeight += load<f64>(sums + (c << 3));
}

/** The next sweeps count only scores above this. */
export function resetScore(least: f64): void {
  foundScore = least;
}

/** The next sweeps are of an order that is not made of the targets. */
export function resetNoise(): void {
  noise = 0;
}

/**
 * Of an order by means: the noise is the targets' variance in the node. A difference of shares of two classes
 * gains 1 / 2 p (1 - p) times as much entropy as variance, which is p (1 - p).
 *
 * @param stats of the node's rows: weight and weighted target
 */
export function noiseOfMoments(stats: usize, rows: u32, roots: f64): void {
  const mean = totalProduct / totalWeight;
  let squares: f64 = 0;
  for (let i: usize = 0; i < usize(rows); i++) {
    const stat = stats + (i << 4);
    const weight = load<f64>(stat);
    const deviation = load<f64>(stat, 8) - mean * weight;
    squares += massLogs === 0 ? deviation * deviation : weight * weight;
  }
  const known = max(f64(rows) - 1.0, 1.0) / f64(rows);
  if (massLogs !== 0) {
    noise = mostOfNoise(roots, totalWeight, (0.5 * squares) / known / totalWeight);
    return;
  }
  noise = mostOfNoise(roots, totalWeight, squares / known / totalWeight) * totalWeight;
}

/**
 * Of an order by the share of the classes in `half`: of each class's variance, as much as that order tells.
 *
 * @param stats of the node's entries: weight and class
 */
export function noiseOfClasses(stats: usize, entries: u32, roots: f64, half: u64): void {
  const heaviest = heaviestClass();
  let inside: f64 = 0;
  let squaresInside: f64 = 0;
  let squaresOutside: f64 = 0;
  for (let c = 0; c < classes; c++) {
    const share = load<f64>(totals + (usize(c) << 3)) / totalWeight;
    if (isInside(c, half, heaviest)) {
      inside += share;
      squaresInside += share * share;
    } else squaresOutside += share * share;
  }
  if (inside <= 0 || inside >= 1.0) {
    noise = 0;
    return;
  }
  const outside = 1.0 - inside;
  // Of entropy as of two classes; see `noiseOfMoments`.
  const told =
    massLogs !== 0 ? 0.5 : (squaresInside * outside) / inside + (squaresOutside * inside) / outside;
  let squares: f64 = 0;
  for (let i: usize = 0; i < usize(entries); i++) {
    const weight = load<f64>(stats + (i << 4));
    squares += weight * weight;
  }
  noise = mostOfNoise(roots, totalWeight, (told * squares) / totalWeight);
}

/** Whether bins that the node has not seen go left: with the heavier side. */
export function unseenLeft(): bool {
  return 2.0 * foundWeight > totalWeight;
}

/**
 * Tries the cuts after each of the first `limit` bins of an order; `only` ≥ 0 tries that one cut
 * (after `only` + 1 bins). `joined` ≥ 0 is a bin that goes left from the start.
 */
export function sweep(
  order: usize,
  limit: i32,
  only: i32,
  joined: i32,
  histogram: usize,
  counts: usize,
): void {
  if (classes === 0) sweepMoments(order, limit, only, joined, histogram, counts);
  else if (massLogs !== 0) sweepEntropy(order, limit, only, joined, histogram, counts);
  else sweepClasses(order, limit, only, joined, histogram, counts);
}

/** Of a cut after `count` bins of the order, with `weight` to its left. @inline */
function keepBetter(score: f64, count: i32, joined: i32, weight: f64): void {
  if (!(score > foundScore)) return;
  foundScore = score;
  foundCount = count;
  foundMissingLeft = i32(joined >= 0);
  foundWeight = weight;
}

function sweepMoments(
  order: usize,
  limit: i32,
  only: i32,
  joined: i32,
  histogram: usize,
  counts: usize,
): void {
  let left = f64x2.splat(0);
  let rows: u32 = 0;
  if (joined >= 0) {
    left = v128.load(histogram + (usize(joined) << 4));
    rows = load<u32>(counts + (usize(joined) << 2));
  }
  const stop = only >= 0 ? only + 1 : limit;
  for (let i = 0; i < stop; i++) {
    const bin = usize(load<i32>(order + (usize(i) << 2)));
    left = f64x2.add(left, v128.load(histogram + (bin << 4)));
    rows += load<u32>(counts + (bin << 2));
    if (rows < leastRows || i < only) continue;
    if (totalRows - rows < leastRows) break;
    const weight = f64x2.extract_lane(left, 0);
    const product = f64x2.extract_lane(left, 1);
    const score =
      scoreOfMoments(weight, product) - expectedOfNoise(noise, weight, totalWeight - weight);
    keepBetter(score, i + 1, joined, weight);
  }
}

function scoreOfMoments(weight: f64, product: f64): f64 {
  if (massLogs !== 0) {
    const right = negativeEntropy(0, totalWeight - weight, totalProduct - product);
    return negativeEntropy(0, weight, product) + right;
  }
  const d = product * totalWeight - totalProduct * weight;
  return (d * d) / (weight * (totalWeight - weight));
}

/** Only the classes that a bin holds change what a side's entropy is a sum of. */
function sweepEntropy(
  order: usize,
  limit: i32,
  only: i32,
  joined: i32,
  histogram: usize,
  counts: usize,
): void {
  const bytes = usize(width) << 3;
  memory.fill(sides, 0, bytes);
  let weight: f64 = 0;
  let rows: u32 = 0;
  let left: f64 = 0;
  let right = parentScore() + massLog(totalWeight);
  const stop = only >= 0 ? only + 1 : limit;
  for (let i = joined >= 0 ? -1 : 0; i < stop; i++) {
    const bin = i < 0 ? usize(joined) : usize(load<i32>(order + (usize(i) << 2)));
    const entry = histogram + bin * bytes;
    for (let at: usize = 0; at < bytes; at += 8) {
      const own = load<f64>(entry + at);
      if (own === 0) continue;
      const before = load<f64>(sides + at);
      const rest = load<f64>(totals + at) - before;
      left += massLog(before + own) - massLog(before);
      right += massLog(rest - own) - massLog(rest);
      weight += own;
      store<f64>(sides + at, before + own);
    }
    rows += load<u32>(counts + (bin << 2));
    if (i < 0 || rows < leastRows || i < only) continue;
    if (totalRows - rows < leastRows) break;
    const other = totalWeight - weight;
    const score =
      left - massLog(weight) + right - massLog(other) - expectedOfNoise(noise, weight, other);
    keepBetter(score, i + 1, joined, weight);
  }
}

function sweepClasses(
  order: usize,
  limit: i32,
  only: i32,
  joined: i32,
  histogram: usize,
  counts: usize,
): void {
  const bytes = usize(width) << 3;
  let rows: u32 = 0;
  if (joined >= 0) {
    memory.copy(sides, histogram + usize(joined) * bytes, bytes);
    rows = load<u32>(counts + (usize(joined) << 2));
  } else memory.fill(sides, 0, bytes);
  const stop = only >= 0 ? only + 1 : limit;
  for (let i = 0; i < stop; i++) {
    const bin = usize(load<i32>(order + (usize(i) << 2)));
    const entry = histogram + bin * bytes;
    let leftSquares = f64x2.splat(0);
    let rightSquares = f64x2.splat(0);
    let weights = f64x2.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const left = f64x2.add(v128.load(sides + at), v128.load(entry + at));
      const right = f64x2.sub(v128.load(totals + at), left);
      v128.store(sides + at, left);
      weights = f64x2.add(weights, left);
      leftSquares = f64x2.add(leftSquares, f64x2.mul(left, left));
      rightSquares = f64x2.add(rightSquares, f64x2.mul(right, right));
    }
    rows += load<u32>(counts + (bin << 2));
    if (rows < leastRows || i < only) continue;
    if (totalRows - rows < leastRows) break;
    const weight = f64x2.extract_lane(weights, 0) + f64x2.extract_lane(weights, 1);
    const score =
      (f64x2.extract_lane(leftSquares, 0) + f64x2.extract_lane(leftSquares, 1)) / weight +
      (f64x2.extract_lane(rightSquares, 0) + f64x2.extract_lane(rightSquares, 1)) /
        (totalWeight - weight) -
      expectedOfNoise(noise, weight, totalWeight - weight);
    keepBetter(score, i + 1, joined, weight);
  }
}

/** The node's heaviest class. */
function heaviestClass(): i32 {
  let best = 0;
  for (let c = 1; c < classes; c++) {
    if (load<f64>(totals + (usize(c) << 3)) > load<f64>(totals + (usize(best) << 3))) best = c;
  }
  return best;
}

function isInside(c: i32, half: u64, heaviest: i32): bool {
  return half === 0 ? c === heaviest : ((half >> (u64(c) & 63)) & 1) !== 0;
}

/** Sorts a list of categories by their mean target; returns the sum of the roots of their weights. */
export function sortByMean(
  list: usize,
  count: i32,
  histogram: usize,
  keys: usize,
  spare: usize,
): f64 {
  let roots: f64 = 0;
  for (let i = 0; i < count; i++) {
    const bin = usize(load<i32>(list + (usize(i) << 2)));
    const entry = histogram + (bin << 4);
    store<f64>(keys + (bin << 3), load<f64>(entry, 8) / load<f64>(entry));
    roots += sqrt(load<f64>(entry));
  }
  sortBins(list, count, keys, spare);
  return roots;
}

/** Likewise by the share of the classes in `half` (bits, class modulo 64); 0: the heaviest class. */
export function sortByClasses(
  list: usize,
  count: i32,
  half: u64,
  histogram: usize,
  keys: usize,
  spare: usize,
): f64 {
  const heaviest = heaviestClass();
  let roots: f64 = 0;
  for (let i = 0; i < count; i++) {
    const bin = usize(load<i32>(list + (usize(i) << 2)));
    const entry = histogram + bin * (usize(width) << 3);
    let inside: f64 = 0;
    let all: f64 = 0;
    for (let c = 0; c < classes; c++) {
      const weight = load<f64>(entry + (usize(c) << 3));
      all += weight;
      if (isInside(c, half, heaviest)) inside += weight;
    }
    store<f64>(keys + (bin << 3), inside / all);
    roots += sqrt(all);
  }
  sortBins(list, count, keys, spare);
  return roots;
}
