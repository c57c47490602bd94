/**
 * Gradients of the losses and their quantisation.
 *
 * Scores, targets and weights are f64 and gradients pairs of f32 (gradient, hessian), all indexed
 * by the row's number. Each gradient kernel stores Σ|g| and Σh (f64) at `sums`: the scale of the
 * quantisation follows from them, so that no sum of any rows can leave 32 bits. They take two rows
 * at a time, each by the operations of one alone; sums are in the order of the rows.
 */

import { expPair } from "../numbers/elementary";
import { pairAt, rowAt, weightOf } from "./losses";

/** Σ|g| and Σh of the rows so far. */
let gradientSum: f64 = 0;
let hessianSum: f64 = 0;

function beginSums(): void {
  gradientSum = 0;
  hessianSum = 0;
}

function storeSums(sums: usize): void {
  store<f64>(sums, gradientSum);
  store<f64>(sums, hessianSum, 8);
}

/** Writes (gradient, hessian) of a row, or of two. @param other offset of the second row, in bytes; as `one`: there is none. @inline */
function writePair(gradients: usize, one: usize, other: usize, g: v128, h: v128): void {
  const slopes = f32x4.demote_f64x2_zero(g);
  const curvatures = f32x4.demote_f64x2_zero(h);
  const both = v128.shuffle<i32>(slopes, curvatures, 0, 4, 1, 5);
  v128.store64_lane(gradients + one, both, 0);
  const sizes = f64x2.promote_low_f32x4(f32x4.abs(slopes));
  const widened = f64x2.promote_low_f32x4(curvatures);
  gradientSum += f64x2.extract_lane(sizes, 0);
  hessianSum += f64x2.extract_lane(widened, 0);
  if (other === one) return;
  v128.store64_lane(gradients + other, both, 1);
  gradientSum += f64x2.extract_lane(sizes, 1);
  hessianSum += f64x2.extract_lane(widened, 1);
}

/** @inline */
function writeWeighted(
  weights: usize,
  gradients: usize,
  one: usize,
  other: usize,
  g: v128,
  h: v128,
): void {
  if (weights === 0) {
    writePair(gradients, one, other, g, h);
    return;
  }
  const w = pairAt(weights, one, other);
  writePair(gradients, one, other, f64x2.mul(g, w), f64x2.mul(h, w));
}

/** K / (K - 1) of K classes. */
function curvatureFactor(classes: i32): v128 {
  return f64x2.splat(f64(classes) / f64(classes - 1));
}

/** @inline */
function softmaxCurvature(p: v128, factor: v128): v128 {
  const curvature = f64x2.mul(f64x2.mul(factor, p), f64x2.sub(f64x2.splat(1.0), p));
  return f64x2.pmax(curvature, f64x2.splat(0.0));
}

/** ½ (score - target)². */
export function squaredGradients(
  rows: usize,
  count: i32,
  scores: usize,
  targets: usize,
  weights: usize,
  gradients: usize,
  sums: usize,
): void {
  const ones = f64x2.splat(1.0);
  beginSums();
  for (let i = 0; i < count; i += 2) {
    const one = rowAt(rows, i);
    const other = rowAt(rows, min(i + 1, count - 1));
    const g = f64x2.sub(pairAt(scores, one, other), pairAt(targets, one, other));
    writeWeighted(weights, gradients, one, other, g, ones);
  }
  storeSums(sums);
}

/**
 * Pinball loss of the quantile of a level (Koenker & Bassett 1978). Its curvature is 0, so hessians are
 * the weights, and leaves are given their values from residuals instead.
 */
export function pinballGradients(
  rows: usize,
  count: i32,
  scores: usize,
  targets: usize,
  weights: usize,
  level: f64,
  gradients: usize,
  sums: usize,
): void {
  const ones = f64x2.splat(1.0);
  const above = f64x2.splat(-level);
  const below = f64x2.splat(1.0 - level);
  beginSums();
  for (let i = 0; i < count; i += 2) {
    const one = rowAt(rows, i);
    const other = rowAt(rows, min(i + 1, count - 1));
    const isBelow = f64x2.ge(pairAt(scores, one, other), pairAt(targets, one, other));
    const g = v128.bitselect(below, above, isBelow);
    writeWeighted(weights, gradients, one, other, g, ones);
  }
  storeSums(sums);
}

/** Log-loss of a logit; targets are 0, 1 or a probability between. */
export function logisticGradients(
  rows: usize,
  count: i32,
  scores: usize,
  targets: usize,
  weights: usize,
  gradients: usize,
  sums: usize,
): void {
  const ones = f64x2.splat(1.0);
  beginSums();
  for (let i = 0; i < count; i += 2) {
    const one = rowAt(rows, i);
    const other = rowAt(rows, min(i + 1, count - 1));
    const scored = pairAt(scores, one, other);
    const p = f64x2.div(ones, f64x2.add(ones, expPair(f64x2.neg(scored))));
    const g = f64x2.sub(p, pairAt(targets, one, other));
    const h = f64x2.mul(p, f64x2.sub(ones, p));
    writeWeighted(weights, gradients, one, other, g, h);
  }
  storeSums(sums);
}

/**
 * Log-loss of a softmax, for one class's scores. Targets are class numbers. Hessians carry the
 * factor K / (K - 1) of Friedman 2001 (one redundant class).
 */
export function softmaxGradients(
  rows: usize,
  count: i32,
  scores: usize,
  logSums: usize,
  classes: i32,
  chosen: i32,
  targets: usize,
  weights: usize,
  gradients: usize,
  sums: usize,
): void {
  const ones = f64x2.splat(1.0);
  const own = f64x2.splat(f64(chosen));
  const factor = curvatureFactor(classes);
  beginSums();
  for (let i = 0; i < count; i += 2) {
    const one = rowAt(rows, i);
    const other = rowAt(rows, min(i + 1, count - 1));
    const p = expPair(f64x2.sub(pairAt(scores, one, other), pairAt(logSums, one, other)));
    const hit = v128.and(f64x2.eq(pairAt(targets, one, other), own), ones);
    writeWeighted(weights, gradients, one, other, f64x2.sub(p, hit), softmaxCurvature(p, factor));
  }
  storeSums(sums);
}

/**
 * The same for a probability of each class: `targets` are row-major, `classes` a row.
 */
export function softmaxSoftGradients(
  rows: usize,
  count: i32,
  scores: usize,
  logSums: usize,
  classes: i32,
  chosen: i32,
  targets: usize,
  weights: usize,
  gradients: usize,
  sums: usize,
): void {
  const wanted = targets + (usize(chosen) << 3);
  const width = usize(classes);
  const factor = curvatureFactor(classes);
  beginSums();
  for (let i = 0; i < count; i += 2) {
    const one = rowAt(rows, i);
    const other = rowAt(rows, min(i + 1, count - 1));
    const p = expPair(f64x2.sub(pairAt(scores, one, other), pairAt(logSums, one, other)));
    const g = f64x2.sub(p, pairAt(wanted, one * width, other * width));
    writeWeighted(weights, gradients, one, other, g, softmaxCurvature(p, factor));
  }
  storeSums(sums);
}

/** Adding this to |x| < 2⁵¹ leaves x, rounded to even, in the low bits of the sum. */
const ROUNDING: f64 = 6755399441055744.0;

/** Packs round(gradient × gradientScale) and round(hessian × hessianScale) into one i64 a row. */
export function quantise(
  rows: usize,
  count: i32,
  gradients: usize,
  gradientScale: f64,
  hessianScale: f64,
  packed: usize,
): void {
  const end = rows + (usize(count) << 2);
  const scales = f64x2.replace_lane(f64x2.splat(hessianScale), 1, gradientScale);
  const rounding = f64x2.splat(ROUNDING);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at)) << 3;
    // Lanes (gradient, hessian) → (hessian, gradient), the order within a packed entry.
    const pair = v128.shuffle<i32>(v128.load64_zero(gradients + row), i64x2.splat(0), 1, 0, 4, 4);
    const units = f64x2.add(f64x2.mul(f64x2.promote_low_f32x4(pair), scales), rounding);
    store<i64>(packed + row, i64x2.extract_lane(v128.shuffle<i32>(units, units, 0, 2, 0, 2), 0));
  }
}

/** Σ g² / w and Σ h, a weight of k standing for k rows. */
export function gradientSpread(
  rows: usize,
  count: i32,
  gradients: usize,
  weights: usize,
  sums: usize,
): void {
  let squares: f64 = 0;
  let hessians: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const w = weightOf(weights, row);
    if (w === 0) continue;
    const g = f64(load<f32>(gradients + (row << 3)));
    squares += (g * g) / w;
    hessians += f64(load<f32>(gradients + (row << 3), 4));
  }
  store<f64>(sums, squares);
  store<f64>(sums, hessians, 8);
}
