/**
 * The normal distribution cut to an interval, in standard units: bounds are given as distances
 * from the mean divided by the standard deviation. Both functions work in the left tail, where
 * probabilities keep their relative precision, and reflect what lies in the right one.
 *
 * Probabilities underflow beyond 37 standard deviations; a Parzen estimator's own bounds always
 * enclose the mean.
 */

import { cumulative, inverseCumulative } from "./normal.ts";

/** Probability that a standard normal lies in [low, high]. */
export function mass(low: number, high: number): number {
  if (low > 0) return cumulative(-low) - cumulative(-high);
  if (high <= 0) return cumulative(high) - cumulative(low);
  return 1 - cumulative(low) - cumulative(-high);
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
