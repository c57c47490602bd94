/** Piecewise linear functions. */

/**
 * The value at `x` of straight lines between knots, level beyond the first and the last; at NaN that of the first.
 *
 * @param knots ascending but for errors of rounding, one or more
 * @param values one a knot
 */
export function interpolated(
  knots: readonly number[],
  values: readonly number[],
  x: number,
): number {
  const last = knots.length - 1;
  if (!(x > knots[0])) return values[0];
  if (x >= knots[last]) return values[last];
  const low = knotBefore(knots, x);
  const share = (x - knots[low]) / (knots[low + 1] - knots[low]);
  return values[low] + share * (values[low + 1] - values[low]);
}

/**
 * The place of the knot that begins the line which `x` is on. Where rounding has left knots equal or out of order, it is
 * whichever the search ends at.
 *
 * @param x from the first knot on, and before the last
 */
export function knotBefore(knots: readonly number[], x: number): number {
  let low = 0;
  let high = knots.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (knots[middle] <= x) low = middle;
    else high = middle;
  }
  return low;
}
