/** Piecewise linear functions. */

/**
 * The value at `x` of straight lines between knots, level beyond the first and the last; at NaN that of the first.
 *
 * @param knots strictly ascending, one or more
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
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (knots[middle] <= x) low = middle;
    else high = middle;
  }
  const share = (x - knots[low]) / (knots[high] - knots[low]);
  return values[low] + share * (values[high] - values[low]);
}
