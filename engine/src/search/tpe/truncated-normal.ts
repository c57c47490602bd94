/**
 * The normal distribution cut to an interval, in standard units: bounds are given as distances
 * from the mean divided by the standard deviation. Both functions work in the left tail, where
 * probabilities keep their relative precision, and reflect what lies in the right one.
 *
 * Probabilities underflow beyond 37 standard deviations; a Parzen estimator's own bounds always
 * enclose the mean.
 */

import { cumulative, inverseCumulative } from "./normal.ts";

/** Beyond this many standard deviations a tail is nothing beside 1. */
const REACH = 8.3;

/** Probability that a standard normal lies in [low, high]. */
export function mass(low: number, high: number): number {
  if (low > 0) return cumulative(-low) - cumulative(-high);
  if (high <= 0) return cumulative(high) - cumulative(low);
  return 1 - (low < -REACH ? 0 : cumulative(low)) - (high > REACH ? 0 : cumulative(-high));
}

const LOG_SQRT_2_PI = 0.9189385332046727;
/** Below this width the series is within 2e-11 of the truth out to 9 standard deviations. */
const NARROW = 0.05;

/**
 * Log of `mass`. A narrow interval takes the Taylor series of the density about its middle: it
 * needs no tail probabilities, whose difference would also lose digits.
 */
export function logMass(low: number, high: number): number {
  const width = high - low;
  if (width >= NARROW) return Math.log(mass(low, high));
  const middle = (low + high) / 2;
  const z2 = middle * middle;
  const w2 = width * width;
  // ∫ φ = φ(m)·w·Σ (w/2)²ⁿ He₂ₙ(m) / (2n + 1)!, with Hermite's polynomials He₂, He₄ and He₆.
  const series =
    w2 *
    ((z2 - 1) / 24 +
      w2 * (((z2 - 6) * z2 + 3) / 1920 + (w2 * (((z2 - 15) * z2 + 45) * z2 - 15)) / 322560));
  return Math.log(width * (1 + series)) - 0.5 * z2 - LOG_SQRT_2_PI;
}

/** The x in [low, high] with the share `at` (in [0, 1]) of the interval's probability below it. */
export function quantile(at: number, low: number, high: number): number {
  if (at <= 0) return low;
  if (at >= 1) return high;
  if (low > 0) return -quantile(1 - at, -high, -low);
  const below = cumulative(low) + at * mass(low, high);
  const x =
    below <= 0.5
      ? inverseCumulative(below)
      : -inverseCumulative(cumulative(-high) + (1 - at) * mass(low, high));
  return Math.min(high, Math.max(low, x));
}
