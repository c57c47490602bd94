/**
 * Gradients of the losses, their quantisation, and their mean over rows.
 *
 * Scores, targets and weights are f64 and gradients pairs of f32 (gradient, hessian), all indexed
 * by the row's number. Each gradient kernel stores Σ|g| and Σh (f64) at `sums`: the scale of the
 * quantisation follows from them, so that no sum of any rows can leave 32 bits.
 */

import { exp, log } from "./elementary";

function weightOf(weights: usize, row: usize): f64 {
  return weights === 0 ? 1.0 : load<f64>(weights + (row << 3));
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
  let gradientSum: f64 = 0;
  let hessianSum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const w = weightOf(weights, row);
    const g = f32((load<f64>(scores + (row << 3)) - load<f64>(targets + (row << 3))) * w);
    const h = f32(w);
    store<f32>(gradients + (row << 3), g);
    store<f32>(gradients + (row << 3), h, 4);
    gradientSum += f64(abs(g));
    hessianSum += f64(h);
  }
  store<f64>(sums, gradientSum);
  store<f64>(sums, hessianSum, 8);
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
  let gradientSum: f64 = 0;
  let hessianSum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const w = weightOf(weights, row);
    const below = load<f64>(scores + (row << 3)) >= load<f64>(targets + (row << 3));
    const g = f32((below ? 1.0 - level : -level) * w);
    const h = f32(w);
    store<f32>(gradients + (row << 3), g);
    store<f32>(gradients + (row << 3), h, 4);
    gradientSum += f64(abs(g));
    hessianSum += f64(h);
  }
  store<f64>(sums, gradientSum);
  store<f64>(sums, hessianSum, 8);
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
  let gradientSum: f64 = 0;
  let hessianSum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const w = weightOf(weights, row);
    const p = 1.0 / (1.0 + exp(-load<f64>(scores + (row << 3))));
    const g = f32((p - load<f64>(targets + (row << 3))) * w);
    const h = f32(p * (1.0 - p) * w);
    store<f32>(gradients + (row << 3), g);
    store<f32>(gradients + (row << 3), h, 4);
    gradientSum += f64(abs(g));
    hessianSum += f64(h);
  }
  store<f64>(sums, gradientSum);
  store<f64>(sums, hessianSum, 8);
}

/** log Σ exp of each row's scores. Class k's scores lie `classStep` numbers after class k - 1's. */
export function logSumExp(
  rows: usize,
  count: i32,
  scores: usize,
  classes: i32,
  classStep: i32,
  out: usize,
): void {
  const end = rows + (usize(count) << 2);
  const step = usize(classStep) << 3;
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at)) << 3;
    let most = load<f64>(scores + row);
    for (let k = 1; k < classes; k++) most = max(most, load<f64>(scores + usize(k) * step + row));
    let sum: f64 = 0;
    for (let k = 0; k < classes; k++) sum += exp(load<f64>(scores + usize(k) * step + row) - most);
    store<f64>(out + row, most + log(sum));
  }
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
  let gradientSum: f64 = 0;
  let hessianSum: f64 = 0;
  const factor = f64(classes) / f64(classes - 1);
  const own = f64(chosen);
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at)) << 3;
    const w = weights === 0 ? 1.0 : load<f64>(weights + row);
    const p = exp(load<f64>(scores + row) - load<f64>(logSums + row));
    const hit = load<f64>(targets + row) === own ? 1.0 : 0.0;
    const g = f32((p - hit) * w);
    const h = f32(max(factor * p * (1.0 - p), 0.0) * w);
    store<f32>(gradients + row, g);
    store<f32>(gradients + row, h, 4);
    gradientSum += f64(abs(g));
    hessianSum += f64(h);
  }
  store<f64>(sums, gradientSum);
  store<f64>(sums, hessianSum, 8);
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
  let gradientSum: f64 = 0;
  let hessianSum: f64 = 0;
  const factor = f64(classes) / f64(classes - 1);
  const wanted = targets + (usize(chosen) << 3);
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at)) << 3;
    const w = weights === 0 ? 1.0 : load<f64>(weights + row);
    const p = exp(load<f64>(scores + row) - load<f64>(logSums + row));
    const g = f32((p - load<f64>(wanted + row * usize(classes))) * w);
    const h = f32(max(factor * p * (1.0 - p), 0.0) * w);
    store<f32>(gradients + row, g);
    store<f32>(gradients + row, h, 4);
    gradientSum += f64(abs(g));
    hessianSum += f64(h);
  }
  store<f64>(sums, gradientSum);
  store<f64>(sums, hessianSum, 8);
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
  let hessianSum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const w = weightOf(weights, row);
    if (w === 0) continue;
    const g = f64(load<f32>(gradients + (row << 3)));
    squares += (g * g) / w;
    hessianSum += f64(load<f32>(gradients + (row << 3), 4));
  }
  store<f64>(sums, squares);
  store<f64>(sums, hessianSum, 8);
}

/** Σ w (score - target)² over the rows; divide by Σ w. */
export function squaredLoss(
  rows: usize,
  count: i32,
  scores: usize,
  targets: usize,
  weights: usize,
): f64 {
  let sum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const d = load<f64>(scores + (row << 3)) - load<f64>(targets + (row << 3));
    sum += d * d * weightOf(weights, row);
  }
  return sum;
}

/** Σ w max(level (target - score), (level - 1) (target - score)). */
export function pinballLoss(
  rows: usize,
  count: i32,
  scores: usize,
  targets: usize,
  weights: usize,
  level: f64,
): f64 {
  let sum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const rest = load<f64>(targets + (row << 3)) - load<f64>(scores + (row << 3));
    sum += max(level * rest, (level - 1.0) * rest) * weightOf(weights, row);
  }
  return sum;
}

/** Σ w (log(1 + exp(score)) - target × score), in a form that cannot overflow. */
export function logisticLoss(
  rows: usize,
  count: i32,
  scores: usize,
  targets: usize,
  weights: usize,
): f64 {
  let sum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const score = load<f64>(scores + (row << 3));
    const above = max(score, 0.0) - load<f64>(targets + (row << 3)) * score;
    sum += (above + log(1.0 + exp(-abs(score)))) * weightOf(weights, row);
  }
  return sum;
}

/** Σ w (log Σ exp - score of the true class). */
export function softmaxLoss(
  rows: usize,
  count: i32,
  scores: usize,
  classStep: i32,
  logSums: usize,
  targets: usize,
  weights: usize,
): f64 {
  let sum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const own = usize(load<f64>(targets + (row << 3))) * usize(classStep) + row;
    const loss = load<f64>(logSums + (row << 3)) - load<f64>(scores + (own << 3));
    sum += loss * weightOf(weights, row);
  }
  return sum;
}

/** Σ w Σ target (log Σ exp - score); `targets` are row-major, `classes` a row, summing to 1. */
export function softmaxSoftLoss(
  rows: usize,
  count: i32,
  scores: usize,
  classes: i32,
  classStep: i32,
  logSums: usize,
  targets: usize,
  weights: usize,
): f64 {
  let sum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = usize(load<u32>(at));
    const logSum = load<f64>(logSums + (row << 3));
    const wanted = targets + ((row * usize(classes)) << 3);
    let loss: f64 = 0;
    for (let k = 0; k < classes; k++) {
      const score = load<f64>(scores + ((usize(k) * usize(classStep) + row) << 3));
      loss += load<f64>(wanted + (usize(k) << 3)) * (logSum - score);
    }
    sum += loss * weightOf(weights, row);
  }
  return sum;
}

/** Margins to probabilities in place: logits of one class, or `outputs` margins a row. */
export function toProbabilities(scores: usize, count: i32, outputs: i32): void {
  if (outputs === 1) {
    for (let i = 0; i < count; i++) {
      const at = scores + (usize(i) << 3);
      store<f64>(at, 1.0 / (1.0 + exp(-load<f64>(at))));
    }
    return;
  }
  for (let i = 0; i < count; i++) {
    const row = scores + ((usize(i) * usize(outputs)) << 3);
    let most = load<f64>(row);
    for (let k = 1; k < outputs; k++) most = max(most, load<f64>(row + (usize(k) << 3)));
    let sum: f64 = 0;
    for (let k = 0; k < outputs; k++) {
      const at = row + (usize(k) << 3);
      const e = exp(load<f64>(at) - most);
      store<f64>(at, e);
      sum += e;
    }
    for (let k = 0; k < outputs; k++) {
      const at = row + (usize(k) << 3);
      store<f64>(at, load<f64>(at) / sum);
    }
  }
}
