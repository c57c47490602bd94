/** Losses summed over rows, and scores as probabilities. Scores, targets and weights are f64, indexed by the row's number. */

import { exp, expPair, logPair } from "../numbers/elementary";

/** Offset of a listed row's number, in bytes. */
export function rowAt(rows: usize, i: i32): usize {
  return usize(load<u32>(rows + (usize(i) << 2))) << 3;
}

/** The numbers of two rows. @param one, other offsets in bytes */
export function pairAt(base: usize, one: usize, other: usize): v128 {
  return v128.load64_lane(base + other, v128.load64_zero(base + one), 1);
}

export function weightOf(weights: usize, row: usize): f64 {
  return weights === 0 ? 1.0 : load<f64>(weights + (row << 3));
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
  const step = usize(classStep) << 3;
  for (let i = 0; i < count; i += 2) {
    const one = rowAt(rows, i);
    const other = rowAt(rows, min(i + 1, count - 1));
    let most = pairAt(scores, one, other);
    for (let k = 1; k < classes; k++) {
      most = f64x2.pmax(most, pairAt(scores + usize(k) * step, one, other));
    }
    let sum = f64x2.splat(0.0);
    for (let k = 0; k < classes; k++) {
      const margins = f64x2.sub(pairAt(scores + usize(k) * step, one, other), most);
      sum = f64x2.add(sum, expPair(margins));
    }
    const logs = f64x2.add(most, logPair(sum));
    v128.store64_lane(out + one, logs, 0);
    v128.store64_lane(out + other, logs, 1);
  }
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

/**
 * Σ w (log(1 + exp(score)) - target × score), in a form that cannot overflow. Two rows at a time, each by
 * the operations of one alone; the sum is in the order of the rows.
 */
export function logisticLoss(
  rows: usize,
  count: i32,
  scores: usize,
  targets: usize,
  weights: usize,
): f64 {
  const ones = f64x2.splat(1.0);
  const zero = f64x2.splat(0.0);
  let sum: f64 = 0;
  for (let i = 0; i < count; i += 2) {
    const one = rowAt(rows, i);
    const other = rowAt(rows, min(i + 1, count - 1));
    const score = pairAt(scores, one, other);
    const hit = f64x2.mul(pairAt(targets, one, other), score);
    const above = f64x2.sub(f64x2.max(score, zero), hit);
    const tail = logPair(f64x2.add(ones, expPair(f64x2.neg(f64x2.abs(score)))));
    let loss = f64x2.add(above, tail);
    if (weights !== 0) loss = f64x2.mul(loss, pairAt(weights, one, other));
    sum += f64x2.extract_lane(loss, 0);
    if (i + 1 < count) sum += f64x2.extract_lane(loss, 1);
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
    const ones = f64x2.splat(1.0);
    const end = scores + (usize(count) << 3);
    let at = scores;
    for (; at + 16 <= end; at += 16) {
      const grown = expPair(f64x2.neg(v128.load(at)));
      v128.store(at, f64x2.div(ones, f64x2.add(ones, grown)));
    }
    if (at < end) store<f64>(at, 1.0 / (1.0 + exp(-load<f64>(at))));
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
