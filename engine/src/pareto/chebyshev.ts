/**
 * The augmented weighted Chebyshev scalarisation: max over metrics of w·f, plus ρ times the sum of
 * f, where f is the loss on the scale of the front (0 ideal, 1 nadir). Every point of the front is
 * the least of it under some weights, also where the front is not convex; the sum decides among
 * those that the maximum does not tell apart, so what is least is dominated by none.
 *
 * Source: Steuer, Choo, "An interactive weighted Tchebycheff procedure for multiple objective
 * programming", Math. Program. 26 (1983).
 */

import type { Losses } from "../search/dominance/index.ts";
import { type LossRange, spanOf } from "./loss-range.ts";

/**
 * ρ: small, so that it breaks ties and no more. Trading a ten-thousandth of a metric's range for
 * all of another's is all that it can do.
 */
const AUGMENTATION = 1e-4;

/** Losses below the ideal count as the ideal. Infinite where a loss is. Lower is better. */
export function augmentedChebyshev(
  losses: Losses,
  weights: readonly number[],
  range: LossRange,
): number {
  let worst = 0;
  let sum = 0;
  for (let metric = 0; metric < losses.length; metric++) {
    // An infinite loss times a weight of 0 would be NaN.
    if (losses[metric] === Number.POSITIVE_INFINITY) return losses[metric];
    const above = Math.max(0, losses[metric] - range.ideal[metric]) / spanOf(range, metric);
    worst = Math.max(worst, weights[metric] * above);
    sum += above;
  }
  return worst + AUGMENTATION * sum;
}

/** The place of the least scalarised loss; ties go to the earlier point. */
export function leastUnder(
  points: readonly Losses[],
  weights: readonly number[],
  range: LossRange,
): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [place, losses] of points.entries()) {
    const loss = augmentedChebyshev(losses, weights, range);
    if (loss < least) {
      least = loss;
      best = place;
    }
  }
  return best;
}
