/**
 * The best split of a node over one numeric feature.
 *
 * Sums stay in quantised units: with g = G·sg and h = H·sh the regularised score
 * (|G| - α)² / (H + λ) equals (|g| - α·sg)² / (h + λ·sh) times one constant, so the scan needs no
 * scaling. Score: Chen & Guestrin, "XGBoost", KDD'16, §2.2; missing directions: §3.4.
 */

import { below, philox } from "../numbers/philox";
import { gradientOf, hessianOf } from "./nodes";

/** Set once a node by `beginSplits`. */
let alpha: f64 = 0;
let lambda: f64 = 0;
let minHessian: f64 = 0;
let total: i64 = 0;
let totalGradient: f64 = 0;
let totalHessian: f64 = 0;

/** What a scan of one feature found. */
export let foundScore: f64 = 0;
export let foundBin: i32 = 0;
export let foundMissingLeft: i32 = 0;
export let foundLeft: i64 = 0;

/** Score of a sum that is left whole. */
export function leafScore(gradient: f64, hessian: f64): f64 {
  const g = max(abs(gradient) - alpha, 0.0);
  return (g * g) / (hessian + lambda);
}

export function beginSplits(sum: i64, l1: f64, l2: f64, leastHessian: f64): void {
  alpha = l1;
  lambda = l2;
  minHessian = max(leastHessian, 1.0);
  total = sum;
  totalGradient = gradientOf(sum);
  totalHessian = hessianOf(sum);
}

/** Both sides have the least hessian. */
export function admissible(left: f64): bool {
  return left >= minHessian && totalHessian - left >= minHessian;
}

/** Sum of the scores of both sides of a cut, -1 where a side is too small. */
export function cutScore(left: i64): f64 {
  const h = hessianOf(left);
  if (!admissible(h)) return -1.0;
  // The same operations in the same order as in `scan`, so that equal cuts have equal scores.
  const g = gradientOf(left);
  const leftShrunk = max(0.0, abs(g) - alpha);
  const rightShrunk = max(0.0, abs(totalGradient - g) - alpha);
  const leftDivisor = h + lambda;
  const rightDivisor = totalHessian - h + lambda;
  return (
    (leftShrunk * leftShrunk * rightDivisor + rightShrunk * rightShrunk * leftDivisor) /
    (leftDivisor * rightDivisor)
  );
}

function prefixThrough(histogram: usize, bin: i32): i64 {
  let sum: i64 = 0;
  for (let b = 0; b <= bin; b++) sum += load<i64>(histogram + (usize(b) << 3));
  return sum;
}

/** Finds the first cut that has exactly this score, and the sum on its left. */
function locate(histogram: usize, from: i32, bins: i32, before: i64, score: f64): void {
  let sum = before;
  for (let b = from; b < bins; b++) {
    sum += load<i64>(histogram + (usize(b) << 3));
    if (cutScore(sum) === score) {
      foundBin = b;
      foundLeft = sum;
      return;
    }
  }
}

/**
 * All cuts of `bins` value bins, two at a time; `initial` is on the left from the start.
 *
 * Hessians only grow to the right, so the admissible cuts are neighbours: leave out those before
 * and after, and compare no masks between. Only the best score is carried along; where it lies is
 * looked up in the few cases in which it beats what is known.
 */
function scan(histogram: usize, bins: i32, initial: i64, missingLeft: i32): void {
  const most = totalHessian - minHessian;
  let at = histogram;
  const end = histogram + (usize(bins) << 3);
  let sum = initial;
  let before = sum;
  let from = at;
  // The first cut with enough on its left.
  while (at < end) {
    before = sum;
    from = at;
    sum += load<i64>(at);
    at += 8;
    if (hessianOf(sum) >= minHessian) break;
  }
  if (hessianOf(sum) < minHessian || hessianOf(sum) > most) return;
  let score = cutScore(sum);
  const shrinks = alpha !== 0;
  const alphas = f64x2.splat(alpha);
  const lambdas = f64x2.splat(lambda);
  const gradients = f64x2.splat(totalGradient);
  const hessians = f64x2.splat(totalHessian);
  const zero = f64x2.splat(0.0);
  const limit = u32(most);
  let best = f64x2.splat(score);
  while (at + 8 < end) {
    const first = sum + load<i64>(at);
    const second = first + load<i64>(at, 8);
    if (u32(second) > limit) break;
    sum = second;
    at += 16;
    const both = i64x2.replace_lane(i64x2.splat(first), 1, second);
    const g = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(both, both, 1, 3, 1, 3));
    const h = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(both, both, 0, 2, 0, 2));
    let leftShrunk = g;
    let rightShrunk = f64x2.sub(gradients, g);
    // Without α they are squared as they are, to the same bits.
    if (shrinks) {
      leftShrunk = f64x2.pmax(zero, f64x2.sub(f64x2.abs(leftShrunk), alphas));
      rightShrunk = f64x2.pmax(zero, f64x2.sub(f64x2.abs(rightShrunk), alphas));
    }
    const leftDivisor = f64x2.add(h, lambdas);
    const rightDivisor = f64x2.add(f64x2.sub(hessians, h), lambdas);
    best = f64x2.pmax(
      best,
      f64x2.div(
        f64x2.add(
          f64x2.mul(f64x2.mul(leftShrunk, leftShrunk), rightDivisor),
          f64x2.mul(f64x2.mul(rightShrunk, rightShrunk), leftDivisor),
        ),
        f64x2.mul(leftDivisor, rightDivisor),
      ),
    );
  }
  score = max(f64x2.extract_lane(best, 0), f64x2.extract_lane(best, 1));
  while (at < end) {
    sum += load<i64>(at);
    at += 8;
    if (hessianOf(sum) > most) break;
    score = max(score, cutScore(sum));
  }
  if (score > foundScore) {
    foundScore = score;
    foundMissingLeft = missingLeft;
    locate(histogram, i32((from - histogram) >> 3), bins, before, score);
  }
}

/** The side that held more takes the missing values which the node has not seen. */
function unseenMissing(left: i64): i32 {
  return i32(2.0 * hessianOf(left) > totalHessian);
}

/**
 * Scans one feature. Afterwards `foundScore` is above `least` only where a cut with a higher
 * score exists, and the other `found…` values describe it.
 */
export function scanNumeric(histogram: usize, bins: i32, least: f64): void {
  foundScore = least;
  const missing = load<i64>(histogram + (usize(bins) << 3));
  scan(histogram, bins, 0, 0);
  if (missing !== 0) scan(histogram, bins, missing, 1);
  else if (foundScore > least) foundMissingLeft = unseenMissing(foundLeft);
}

function scanOccupied(
  histogram: usize,
  bins: i32,
  occupied: usize,
  initial: i64,
  missingLeft: i32,
): void {
  let sum = initial;
  for (let w = 0; w < 4; w++) {
    let word = load<u64>(occupied + (usize(w) << 3));
    while (word !== 0) {
      const bin = (w << 6) + i32(ctz<u64>(word));
      word &= word - 1;
      if (bin === bins) return;
      sum += load<i64>(histogram + (usize(bin) << 3));
      const score = cutScore(sum);
      if (score > foundScore) {
        foundScore = score;
        foundBin = bin;
        foundMissingLeft = missingLeft;
        foundLeft = sum;
      }
    }
  }
}

/** As `scanNumeric`, over the bins whose bits are set alone (four u64): others hold nothing. */
export function scanSparse(histogram: usize, bins: i32, occupied: usize, least: f64): void {
  foundScore = least;
  const missing = load<i64>(histogram + (usize(bins) << 3));
  scanOccupied(histogram, bins, occupied, 0, 0);
  if (missing !== 0) scanOccupied(histogram, bins, occupied, missing, 1);
  else if (foundScore > least) foundMissingLeft = unseenMissing(foundLeft);
}

/**
 * A cut drawn uniformly between the node's lowest and highest bin (Geurts et al. 2006), -1 where
 * all values share one bin.
 */
export function randomCut(
  histogram: usize,
  bins: i32,
  node: u32,
  feature: u32,
  keyLow: u32,
  keyHigh: u32,
): i32 {
  let low = 0;
  while (low < bins && load<i64>(histogram + (usize(low) << 3)) === 0) low++;
  let high = bins - 1;
  while (high > low && load<i64>(histogram + (usize(high) << 3)) === 0) high--;
  if (low >= high) return -1;
  const bits = philox(node, feature, 1, keyLow, keyHigh);
  return low + i32(below(u32(high - low), u32(bits)));
}

/** Like `scanNumeric`, over one drawn cut; -1 cuts missing values from the others. */
export function scanCut(histogram: usize, bins: i32, least: f64, cut: i32): void {
  foundScore = least;
  const missing = load<i64>(histogram + (usize(bins) << 3));
  if (cut < 0) {
    if (missing !== 0) consider(total - missing, bins - 1, 0);
    return;
  }
  const left = prefixThrough(histogram, cut);
  consider(left, cut, 0);
  if (missing !== 0) consider(left + missing, cut, 1);
  else if (foundScore > least) foundMissingLeft = unseenMissing(foundLeft);
}

function consider(left: i64, bin: i32, missingLeft: i32): void {
  const score = cutScore(left);
  if (score > foundScore) {
    foundScore = score;
    foundBin = bin;
    foundMissingLeft = missingLeft;
    foundLeft = left;
  }
}
