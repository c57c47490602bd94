/**
 * Classical decomposition by moving averages: a centred average over one season is the trend, and the
 * mean of what is left at each step of the season its seasonal index. Kendall & Stuart, "The advanced
 * theory of statistics" vol. 3, sec. 46; Hyndman & Athanasopoulos, "Forecasting: principles and
 * practice", 3rd ed., sec. 3.4.
 */

export type SeasonalForm = "additive" | "multiplicative";

/**
 * Seasonal indices of steps 0 … seasonLength - 1 counted from the first value; they sum to 0 (additive)
 * or to the season's length (multiplicative).
 *
 * @param values at least two seasons; above 0 for the multiplicative form
 */
export function seasonalIndices(
  values: Float64Array,
  seasonLength: number,
  form: SeasonalForm,
): Float64Array {
  const n = values.length;
  const m = seasonLength;
  const half = m >> 1;
  const sums = new Float64Array(m);
  const counts = new Float64Array(m);
  // Of an even season the average spans m + 1 values, the outer two by half.
  const outer = m % 2 === 0 ? 0.5 : 1;
  for (let t = half; t + half < n; t++) {
    let trend = outer * (values[t - half] + values[t + half]);
    for (let i = t - half + 1; i < t + half; i++) trend += values[i];
    trend /= m;
    sums[t % m] += form === "additive" ? values[t] - trend : values[t] / trend;
    counts[t % m]++;
  }
  const indices = sums.map((sum, step) => sum / counts[step]);
  let mean = 0;
  for (const index of indices) mean += index / m;
  return indices.map((index) => (form === "additive" ? index - mean : index / mean));
}
