/**
 * How far values of successive steps go together: the sample autocorrelation with n in its denominator
 * (Box & Jenkins, "Time Series Analysis", §2.1), pooled over runs of steps, each about the mean of all.
 */

export interface Autocorrelation {
  /** Of lags 1, 2, …; each between -1 and 1. */
  readonly values: readonly number[];
  /** Beyond ± this, a lag of white noise lies in one of twenty cases. */
  readonly bound: number;
  /** Known values. */
  readonly count: number;
}

const Z95 = 1.959963984540054;

/**
 * @param runs each the values of successive steps, NaN where there is none
 * @returns null where fewer than three are known, or all are equal
 */
export function autocorrelation(
  runs: readonly Float64Array[],
  lags: number,
): Autocorrelation | null {
  let [sum, count] = [0, 0];
  for (const run of runs) {
    for (const value of run) {
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
  }
  const mean = sum / count;
  let variation = 0;
  const products = new Float64Array(lags);
  for (const run of runs) {
    for (let t = 0; t < run.length; t++) {
      const value = run[t] - mean;
      if (Number.isNaN(value)) continue;
      variation += value * value;
      const last = Math.min(lags, run.length - 1 - t);
      for (let lag = 1; lag <= last; lag++) {
        const later = run[t + lag] - mean;
        if (!Number.isNaN(later)) products[lag - 1] += value * later;
      }
    }
  }
  if (count < 3 || !(variation > 0)) return null;
  return {
    values: Array.from(products, (product) => product / variation),
    bound: Z95 / Math.sqrt(count),
    count,
  };
}
