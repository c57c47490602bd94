/**
 * What sorting categories by their targets finds in targets that say nothing of them, and what a split of
 * them has to beat.
 *
 * Of k groups of independent noise, sorted by their means and cut so that the lower part has the share p
 * of the weight, the sum of squares between both parts is expected to be k φ(z)² / (p (1 - p)) times the
 * variance, z being the normal quantile of p: at the middle 2 / π of all that k groups hold. The function
 * of p is within a few percent (2 / π) (4 p (1 - p))^⅝. Of groups of unequal weights w, k is
 * (Σ √w)² / Σ w. Two groups have one cut, like any feature of two values, so that they answer for nothing
 * (docs/decisions/categories.md).
 */

/** What a split of noise seems to gain it loses once more on other rows: it answers for both. */
const STRENGTH: f64 = 2;

/**
 * @param roots sum of the roots of the groups' weights
 * @param weight sum of their weights
 * @param variance of a unit of weight
 */
export function mostOfNoise(roots: f64, weight: f64, variance: f64): f64 {
  return STRENGTH * (2.0 / Math.PI) * variance * max((roots * roots) / weight - 2.0, 0.0);
}

/** @param most as `mostOfNoise` gives it; @param left weight of one side; @param right of the other */
export function expectedOfNoise(most: f64, left: f64, right: f64): f64 {
  // Alike for both sides, to the last bit.
  const weight = left + right;
  const half = sqrt((4.0 * (left * right)) / (weight * weight));
  return most * half * sqrt(sqrt(half));
}
