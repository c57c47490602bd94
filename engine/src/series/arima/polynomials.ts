/**
 * The lag polynomials of seasonal ARIMA models, and the numbers without bounds in which they are searched:
 * partial autocorrelations are hyperbolic tangents of these, so that every point is stationary and
 * invertible. Monahan, "A note on enforcing stationarity in autoregressive-moving average models",
 * Biometrika 71(2), 1984; Jones, Technometrics 22(3), 1980.
 */

/** Coefficients of lags 1 … k from k partial autocorrelations (Durbin & Levinson). */
export function fromPartials(partials: Float64Array): Float64Array {
  const k = partials.length;
  const result = new Float64Array(k);
  const before = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    result[i] = partials[i];
    for (let j = 0; j < i; j++) result[j] = before[j] - partials[i] * before[i - 1 - j];
    before.set(result);
  }
  return result;
}

/**
 * Do all roots of 1 - c1 z - … - ck z^k lie outside the circle of this radius?
 */
export function rootsOutside(coefficients: Float64Array, radius: number): boolean {
  let own = coefficients.map((value, i) => value * radius ** (i + 1));
  for (let i = own.length - 1; i >= 0; i--) {
    const partial = own[i];
    if (!(Math.abs(partial) < 1)) return false;
    const scale = 1 - partial * partial;
    const shorter = new Float64Array(i);
    for (let j = 0; j < i; j++) shorter[j] = (own[j] + partial * own[i - 1 - j]) / scale;
    own = shorter;
  }
  return true;
}

/**
 * The product of a polynomial in lags 1, 2, … and one in seasons, each 1 - c1 B - …: coefficients of lags
 * 1 … p + P m in the same form.
 */
export function multiplySeasonal(
  plain: Float64Array,
  seasonal: Float64Array,
  seasonLength: number,
): Float64Array {
  const product = new Float64Array(plain.length + seasonal.length * seasonLength);
  product.set(plain);
  for (let s = 1; s <= seasonal.length; s++) {
    const value = seasonal[s - 1];
    product[s * seasonLength - 1] += value;
    for (let i = 1; i <= plain.length; i++) {
      product[s * seasonLength + i - 1] -= value * plain[i - 1];
    }
  }
  return product;
}
