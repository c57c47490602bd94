/**
 * How often a series must be differenced. Seasonal differences by the strength of the season, plain ones
 * by repeated KPSS tests: Hyndman & Khandakar, "Automatic time series forecasting: the forecast package
 * for R", J. Stat. Softw. 27(3), 2008, sec. 3.1, with the rule for seasons of forecast 8.3 and later.
 */

import { difference } from "../seasonality/differences.ts";
import { isConstant } from "../standardise.ts";
import { decomposeStl, seasonalStrength } from "../stl/stl.ts";

/** Of a season that is differenced: Hyndman & Athanasopoulos 2021, sec. 9.1. */
const STRONG_SEASON = 0.64;
/** Of the KPSS statistic at 5 %, without a trend (Kwiatkowski et al. 1992, table 1). */
const KPSS_CRITICAL = 0.463;

/** @returns 0 or 1 */
export function seasonalDifferences(values: Float64Array, seasonLength: number): number {
  const n = values.length;
  if (seasonLength < 2 || n < 2 * seasonLength + 1 || isConstant(values)) return 0;
  const parts = decomposeStl(values, { seasonLength, seasonalWindow: 11 });
  if (seasonalStrength(parts) <= STRONG_SEASON) return 0;
  // What is left must be enough to fit anything to.
  return n - seasonLength >= 4 ? 1 : 0;
}

/** @returns 0 to `most` */
export function plainDifferences(values: Float64Array, most: number): number {
  let rest = values;
  for (let d = 0; d < most; d++) {
    if (rest.length < 4 || isConstant(rest) || kpss(rest) <= KPSS_CRITICAL) return d;
    rest = difference(rest, 1, 1);
  }
  return most;
}

/**
 * The statistic of Kwiatkowski, Phillips, Schmidt & Shin, "Testing the null hypothesis of stationarity
 * against the alternative of a unit root", J. Econometrics 54, 1992, for a level; Bartlett weights over
 * 3 sqrt(n) / 13 lags, as in forecast::ndiffs.
 */
export function kpss(values: Float64Array): number {
  const n = values.length;
  const lags = Math.trunc((3 * Math.sqrt(n)) / 13);
  let mean = 0;
  for (const value of values) mean += value / n;
  const errors = values.map((value) => value - mean);
  let partial = 0;
  let squares = 0;
  let variance = 0;
  for (const error of errors) {
    partial += error;
    squares += partial * partial;
    variance += error * error;
  }
  for (let lag = 1; lag <= lags; lag++) {
    let sum = 0;
    for (let t = lag; t < n; t++) sum += errors[t] * errors[t - lag];
    variance += 2 * (1 - lag / (lags + 1)) * sum;
  }
  return variance > 0 ? squares / (n * variance) : 0;
}
