/**
 * Scales of series. Models fit values divided by a scale, so that what they find does not depend on the
 * unit in which a series is measured, and neither huge nor tiny values overflow on the way.
 */

/**
 * A power of two near the mean absolute value; 1 where all are zero. A power of two divides exactly, so
 * that forecasts of scaled series are the scaled forecasts to the last bit.
 */
export function scaleOf(values: Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return 1;
  let sum = 0;
  for (const value of values) sum += Math.abs(value) / largest;
  const mean = largest * (sum / values.length);
  // Within the exponents whose inverse is finite too.
  return 2 ** Math.max(-1000, Math.min(1000, Math.round(Math.log2(mean))));
}

/** Sizes of a history against the fitted one up to which its differences are taken to be what they were. */
const SAME_SIZE = 4;

/**
 * What fitted differences (slopes, seasons), in units of their own scale, are multiplied by where another history's
 * values have the scale `scale`: a level that has moved keeps them, and beyond that it is another unit.
 */
export function keptDifferences(scale: number, fitted: number): number {
  const ratio = scale / fitted;
  return ratio >= 1 / SAME_SIZE && ratio <= SAME_SIZE ? 1 / ratio : 1;
}

export function scaled(values: Float64Array, scale: number): Float64Array {
  return values.map((value) => value / scale);
}

/** Forecasts of scaled series in the series' own unit, held to what a double can tell. */
export function unscaled(forecasts: Float64Array, scale: number): Float64Array {
  return forecasts.map((value) =>
    Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value * scale)),
  );
}

export function isConstant(values: Float64Array): boolean {
  return values.every((value) => value === values[0]);
}
