/**
 * Split search where features are bound to act monotonously.
 *
 * Every node carries the interval in which its leaves may answer. A cut on a constrained feature
 * is admissible where the answers of its sides are in order; the sides then divide the interval
 * at the middle of their answers. ("Basic" method of LightGBM; the idea is XGBoost's.)
 */

import { gradientOf, hessianOf } from "./nodes";
import { admissible } from "./split";

/** Sums in quantised units and answers in the same ratio, set once a node. */
let alpha: f64 = 0;
let lambda: f64 = 0;
let lower: f64 = 0;
let upper: f64 = 0;
let nodeGradient: f64 = 0;
let nodeHessian: f64 = 0;

export let foundScore: f64 = 0;
export let foundBin: i32 = 0;
export let foundMissingLeft: i32 = 0;
export let foundLeft: i64 = 0;

export function answer(gradient: f64, hessian: f64): f64 {
  const shrunk = copysign(max(abs(gradient) - alpha, 0.0), gradient);
  return min(max(-shrunk / (hessian + lambda), lower), upper);
}

/** What a sum gains when it answers `value`; equals `leafScore` at the free optimum. */
function scoreOf(gradient: f64, hessian: f64, value: f64): f64 {
  return -(2.0 * gradient * value + (hessian + lambda) * value * value + 2.0 * alpha * abs(value));
}

export function beginConstrained(sum: i64, l1: f64, l2: f64, least: f64, most: f64): f64 {
  alpha = l1;
  lambda = l2;
  lower = least;
  upper = most;
  nodeGradient = gradientOf(sum);
  nodeHessian = hessianOf(sum);
  return scoreOf(nodeGradient, nodeHessian, answer(nodeGradient, nodeHessian));
}

function consider(left: i64, bin: i32, missingLeft: i32, direction: i32): void {
  const h = hessianOf(left);
  if (!admissible(h)) return;
  const g = gradientOf(left);
  const leftAnswer = answer(g, h);
  const rightAnswer = answer(nodeGradient - g, nodeHessian - h);
  if (direction > 0 && leftAnswer > rightAnswer) return;
  if (direction < 0 && leftAnswer < rightAnswer) return;
  const score = scoreOf(g, h, leftAnswer) + scoreOf(nodeGradient - g, nodeHessian - h, rightAnswer);
  if (score > foundScore) {
    foundScore = score;
    foundBin = bin;
    foundMissingLeft = missingLeft;
    foundLeft = left;
  }
}

export function scanConstrained(
  histogram: usize,
  bins: i32,
  least: f64,
  direction: i32,
  onlyBin: i32,
): void {
  foundScore = least;
  const missing = load<i64>(histogram + (usize(bins) << 3));
  let sum: i64 = 0;
  for (let bin = 0; bin < bins; bin++) {
    sum += load<i64>(histogram + (usize(bin) << 3));
    if (onlyBin >= 0 && bin !== onlyBin) continue;
    consider(sum, bin, 0, direction);
    if (missing !== 0) consider(sum + missing, bin, 1, direction);
  }
  if (missing === 0 && foundScore > least) {
    foundMissingLeft = i32(2.0 * hessianOf(foundLeft) > nodeHessian);
  }
}
