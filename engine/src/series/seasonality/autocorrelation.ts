/** Autocorrelation of a series, and whether it says that there is a season. */

/**
 * Sample autocorrelations at lags 1 … `lags` (the usual estimate, with the variance of all values as
 * denominator); zeros for a constant series.
 */
export function autocorrelations(values: Float64Array, lags: number): Float64Array {
  const n = values.length;
  let mean = 0;
  for (const value of values) mean += value / n;
  const centred = values.map((value) => value - mean);
  let variance = 0;
  for (const value of centred) variance += value * value;
  const result = new Float64Array(lags);
  if (!(variance > 0)) return result;
  for (let lag = 1; lag <= Math.min(lags, n - 1); lag++) {
    let sum = 0;
    for (let t = lag; t < n; t++) sum += centred[t] * centred[t - lag];
    result[lag - 1] = sum / variance;
  }
  return result;
}

/** Of the normal distribution at 0.95: a two-sided test at 90 %. */
const CRITICAL = 1.6448536269514722;

/**
 * The test of the M3 and M4 competitions' theta and naive2 methods: is the autocorrelation at the
 * season's lag outside Bartlett's 90 % band? Assimakopoulos & Nikolopoulos, "The theta model: a
 * decomposition approach to forecasting", Int. J. Forecasting 16(4), 2000; Fiorucci et al. 2016, sec. 4.
 *
 * @returns false for seasons below `shortest` steps and histories below two seasons
 */
export function isSeasonal(values: Float64Array, seasonLength: number, shortest = 4): boolean {
  const n = values.length;
  if (seasonLength < shortest || n < 2 * seasonLength) return false;
  const r = autocorrelations(values, seasonLength);
  let sum = 0;
  for (let lag = 0; lag < seasonLength - 1; lag++) sum += r[lag] * r[lag];
  return Math.abs(r[seasonLength - 1]) / Math.sqrt((1 + 2 * sum) / n) > CRITICAL;
}
