/** Rows that a tree, or its structure alone, is learned from: drawn with what their gradients are. */

import { philox, rowDraw } from "../numbers/philox";

/**
 * Fills `drawn` with f32 pairs (gradient, weight), zeros for rows left out; each stays with probability
 * threshold / 2¹⁶, by its number and the key alone. Stores Σ|g| and Σw of those drawn, and Σg²/w and Σw of all at `sums`.
 *
 * @param weights f64 a row, or 0: all 1
 */
export function drawGradients(
  rows: usize,
  count: i32,
  gradients: usize,
  weights: usize,
  threshold: u32,
  keyLow: u32,
  keyHigh: u32,
  drawn: usize,
  sums: usize,
): void {
  let gradientSum: f64 = 0;
  let weightSum: f64 = 0;
  let squares: f64 = 0;
  let total: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = load<u32>(at);
    const stays = u32(philox(row, 0, 5, keyLow, keyHigh) & 0xffff) < threshold;
    const to = usize(row) << 3;
    const own = load<f32>(gradients + to);
    const g: f32 = stays ? own : 0;
    const whole = weights === 0 ? 1.0 : load<f64>(weights + to);
    const w: f32 = stays ? f32(whole) : 0;
    store<f32>(drawn + to, g);
    store<f32>(drawn + to, w, 4);
    if (whole > 0) squares += (f64(own) * f64(own)) / whole;
    total += whole;
    gradientSum += f64(abs(g));
    weightSum += f64(w);
  }
  store<f64>(sums, gradientSum);
  store<f64>(sums, weightSum, 8);
  store<f64>(sums, squares, 16);
  store<f64>(sums, total, 24);
}

/** Levels of sizes: the upper bits of an f32, so that each is .4 % above the one before. */
const LEVEL_SHIFT = 15;

/** A probability of 1. */
const CERTAIN: u32 = 0x10000;

/** The level of √(g² + λ h²); of |g h| where λ is negative. */
function levelOf(pair: usize, curvature: f64): u32 {
  const g = f64(load<f32>(pair));
  const h = f64(load<f32>(pair, 4));
  const size = curvature < 0 ? abs(g * h) : sqrt(g * g + curvature * h * h);
  return reinterpret<u32>(f32(size)) >> LEVEL_SHIFT;
}

/**
 * Adds the levels of every `step`th row to `levels`.
 *
 * @param curvature λ, or negative; see `levelOf`
 * @param levels u32 each, 2¹⁶ of them
 */
export function countLevels(
  rows: usize,
  count: i32,
  step: i32,
  gradients: usize,
  curvature: f64,
  levels: usize,
): void {
  for (let i = 0; i < count; i += step) {
    const row = usize(load<u32>(rows + (usize(i) << 2)));
    const counter = levels + (usize(levelOf(gradients + (row << 3), curvature)) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
}

/**
 * Splits ascending rows into those drawn and the rest, each with its level's probability (u32 / 2¹⁶), by its
 * number and the key alone. What is drawn with probability p has its gradient and hessian multiplied by 1 / p, so that
 * sums over the drawn are expected to be those over all (Horvitz & Thompson 1952). Stores Σ|g| and Σh of those
 * drawn at `sums`, and returns how many they are.
 */
export function drawByGradient(
  rows: usize,
  count: i32,
  gradients: usize,
  curvature: f64,
  probabilities: usize,
  keyLow: u32,
  keyHigh: u32,
  drawn: usize,
  rest: usize,
  sums: usize,
): i32 {
  let inside = drawn;
  let outside = rest;
  let gradientSum: f64 = 0;
  let hessianSum: f64 = 0;
  const end = rows + (usize(count) << 2);
  for (let at = rows; at < end; at += 4) {
    const row = load<u32>(at);
    const pair = gradients + (usize(row) << 3);
    const threshold = load<u32>(probabilities + (usize(levelOf(pair, curvature)) << 2));
    const taken = usize(rowDraw(row, keyLow, keyHigh) < threshold);
    store<u32>(inside, row);
    store<u32>(outside, row);
    inside += taken << 2;
    outside += (taken ^ 1) << 2;
    if (!taken) continue;
    const factor = f64(CERTAIN) / f64(threshold);
    const g = f32(f64(load<f32>(pair)) * factor);
    const h = f32(f64(load<f32>(pair, 4)) * factor);
    store<f32>(pair, g);
    store<f32>(pair, h, 4);
    gradientSum += f64(abs(g));
    hessianSum += f64(h);
  }
  store<f64>(sums, gradientSum);
  store<f64>(sums, hessianSum, 8);
  return i32((inside - drawn) >> 2);
}
