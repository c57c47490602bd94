/** The mean of an ARMA process with known coefficients: generalised least squares, whose sums are those of its innovations. */

import { filterArma } from "./arma-filter.ts";

/**
 * Innovations are linear in the values, so that those of a mean are the mean times those of ones; the sums of products come from
 * three sums of squares.
 *
 * @returns null where the process cannot be filtered
 */
export function estimatedMean(
  values: Float64Array,
  ar: Float64Array,
  ma: Float64Array,
): number | null {
  // Around one of them, so that a level that is large beside the noise loses no digits.
  const [first] = values;
  const squaresOf = (of: (value: number) => number): number | null =>
    filterArma(values.map(of), ar, ma)?.squares ?? null;
  const ones = squaresOf(() => 1);
  const own = squaresOf((value) => value - first);
  const sum = squaresOf((value) => value - first + 1);
  if (ones === null || own === null || sum === null || !(ones > 0)) return null;
  const mean = first + (sum - own - ones) / 2 / ones;
  return Number.isFinite(mean) ? mean : null;
}
