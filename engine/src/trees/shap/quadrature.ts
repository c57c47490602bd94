/**
 * Gauss-Legendre quadrature on [0, 1]: `count` points integrate polynomials of degree up to
 * 2 count - 1 exactly. Roots by Newton's method from Chebyshev guesses (Press et al., Numerical
 * Recipes, §4.6).
 */

export interface Quadrature {
  /** In (0, 1), ascending. */
  readonly points: Float64Array;
  /** Positive, summing to 1. */
  readonly weights: Float64Array;
}

/** P_n(x) and its derivative, by the three-term recurrence. */
function legendre(n: number, x: number): { value: number; slope: number } {
  let previous = 1;
  let value = x;
  for (let k = 2; k <= n; k++) {
    const next = ((2 * k - 1) * x * value - (k - 1) * previous) / k;
    previous = value;
    value = next;
  }
  return { value, slope: (n * (previous - x * value)) / (1 - x * x) };
}

/** @param count ≥ 1 */
export function gaussLegendre(count: number): Quadrature {
  const points = new Float64Array(count);
  const weights = new Float64Array(count);
  if (count === 1) {
    points[0] = 0.5;
    weights[0] = 1;
    return { points, weights };
  }
  for (let i = 0; i < count; i++) {
    let x = -Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    for (let step = 0; step < 100; step++) {
      const { value, slope } = legendre(count, x);
      const change = value / slope;
      x -= change;
      if (Math.abs(change) < 1e-15) break;
    }
    const { slope } = legendre(count, x);
    points[i] = (1 + x) / 2;
    weights[i] = 1 / ((1 - x * x) * slope * slope);
  }
  return { points, weights };
}
