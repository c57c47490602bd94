/** Gradients of the rows that one tree's structure is chosen by. */

import { philox } from "./philox";

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
