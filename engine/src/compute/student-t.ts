/**
 * The distribution function of Student's t for whole degrees of freedom, by its finite sums
 * (Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4), and its inverse.
 */

/**
 * P(T ≤ t).
 *
 * @param freedom degrees of freedom, a whole number ≥ 1
 */
export function studentT(t: number, freedom: number): number {
  if (Number.isNaN(t)) return Number.NaN;
  if (!Number.isFinite(t)) return t > 0 ? 1 : 0;
  const angle = Math.atan(t / Math.sqrt(freedom));
  const cosine2 = Math.cos(angle) ** 2;
  let sum = 0;
  let term = 1;
  // Even: 1 + ½cos² + ½·¾cos⁴ …; odd: cos + ⅔cos³ + ⅔·⅘cos⁵ …
  const odd = freedom % 2 === 1;
  const terms = odd ? (freedom - 1) / 2 : freedom / 2;
  for (let k = 0; k < terms; k++) {
    sum += term;
    term *= (cosine2 * (odd ? 2 * k + 2 : 2 * k + 1)) / (odd ? 2 * k + 3 : 2 * k + 2);
  }
  const central = odd
    ? (2 / Math.PI) * (angle + Math.sin(angle) * Math.cos(angle) * sum)
    : Math.sin(angle) * sum;
  return Math.min(1, Math.max(0, (1 + central) / 2));
}

/**
 * The t that P(T ≤ t) = `share` of, to 12 digits.
 *
 * @param share in (0, 1)
 * @param freedom degrees of freedom, a whole number ≥ 1
 */
export function studentQuantile(share: number, freedom: number): number {
  if (share < 0.5) return 0 - studentQuantile(1 - share, freedom);
  let [low, high] = [0, 1];
  while (studentT(high, freedom) < share) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (studentT(middle, freedom) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
