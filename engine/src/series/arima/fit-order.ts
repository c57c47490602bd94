/**
 * One order fitted to a differenced series: by conditional sum of squares, then from there by exact
 * likelihood (Box, Jenkins & Reinsel, "Time series analysis", 3rd ed., 1994, ch. 7).
 */

import { minimiseBfgs } from "../optimise/bfgs.ts";
import { withDifferences } from "../optimise/differences.ts";
import { type ArimaOrder, parameterCount } from "./arima-order.ts";
import { filterArma } from "./arma-filter.ts";
import { fromPartials, multiplySeasonal, rootsOutside } from "./polynomials.ts";

export interface ArmaCoefficients {
  /** Of 1 - phi B - … and 1 - Phi B^m - … */
  readonly ar: readonly number[];
  readonly seasonalAr: readonly number[];
  /** Of 1 + theta B + … and 1 + Theta B^m + … */
  readonly ma: readonly number[];
  readonly seasonalMa: readonly number[];
  /** Mean of the differenced series. */
  readonly mean: number;
}

export interface FittedOrder {
  readonly order: ArimaOrder;
  readonly coefficients: ArmaCoefficients;
  /** Corrected Akaike criterion at the posterior's maximum, less constants; Infinity where a root is all but on the circle. */
  readonly aicc: number;
  /** The numbers of the search at its end, from which it can go on. */
  readonly point: Float64Array;
}

/** `css`: conditional sum of squares alone; `ml`: and then exact likelihood. */
export type FitMethod = "css" | "ml";

/** Roots nearer to the circle make a model that cannot be told from a differenced one. */
const LEAST_ROOT = 1.001;
/**
 * A weak prior keeps coefficients from the circle, where the likelihood of short series likes to put them:
 * each partial autocorrelation r has a density as (1 - r^2)^weight.
 */
const PRIOR_WEIGHT = 1;
const DIFFERENCE_STEP = 1e-4;
const SEARCH = { maxIterations: 60, firstStep: 0.3 };

/**
 * @param values the differenced series, in units of its standard deviation
 * @param start a point to begin with, of the same order
 * @param weight of the prior; 0 = the likelihood alone
 */
export function fitOrder(
  values: Float64Array,
  order: ArimaOrder,
  seasonLength: number,
  method: FitMethod,
  start: Float64Array | null = null,
  weight = PRIOR_WEIGHT,
): FittedOrder | null {
  const { p, q, seasonalP, seasonalQ, constant } = order;
  const n = values.length;
  const k = parameterCount(order);
  if (n < k + 2) return null;
  let mean = 0;
  for (const value of values) mean += value / n;
  const count = p + seasonalP + q + seasonalQ;
  const begin = start ?? new Float64Array(count + (constant ? 1 : 0));
  if (start === null && constant) begin[count] = mean;

  const read = (x: Float64Array): ArmaCoefficients => {
    let at = 0;
    const take = (size: number): Float64Array => {
      const part = fromPartials(x.subarray(at, at + size).map(Math.tanh));
      at += size;
      return part;
    };
    const ar = take(p);
    const seasonalAr = take(seasonalP);
    const ma = take(q).map((value) => -value);
    const seasonalMa = take(seasonalQ).map((value) => -value);
    return {
      ar: [...ar],
      seasonalAr: [...seasonalAr],
      ma: [...ma],
      seasonalMa: [...seasonalMa],
      mean: constant ? x[count] : 0,
    };
  };
  const conditional = (x: Float64Array): number => {
    const coefficients = read(x);
    return conditionalLoss(
      values,
      expandAr(coefficients, seasonLength),
      expandMa(coefficients, seasonLength),
      coefficients.mean,
    );
  };
  const exact = (x: Float64Array): number => {
    const coefficients = read(x);
    const { mean: level } = coefficients;
    const filter = filterArma(
      constant ? values.map((value) => value - level) : values,
      expandAr(coefficients, seasonLength),
      expandMa(coefficients, seasonLength),
    );
    return filter === null
      ? Number.POSITIVE_INFINITY
      : Math.log(filter.squares / n + 1e-24) + filter.logs / n;
  };
  /** -2 log of the prior, by n: 1 - tanh^2 = 1 / cosh^2, without overflow. */
  const prior = (x: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const size = Math.abs(x[i]);
      sum += size + Math.log1p(Math.exp(-2 * size)) - Math.LN2;
    }
    return (4 * weight * sum) / n;
  };
  const search = { ...SEARCH, tolerance: 1e-3 / n };
  let point = begin;
  let value = conditional(begin) + prior(begin);
  if (begin.length > 0 && Number.isFinite(value)) {
    if (start === null) {
      const found = minimiseBfgs(
        withDifferences((x) => conditional(x) + prior(x), DIFFERENCE_STEP),
        begin,
        search,
      );
      ({ x: point, value } = found);
    }
  }
  if (method === "ml") {
    value = exact(point) + prior(point);
    // The two may disagree about a first point near the circle.
    if (!Number.isFinite(value)) {
      point = begin.slice();
      point.fill(0, 0, count);
      value = exact(point) + prior(point);
    }
    if (point.length > 0 && Number.isFinite(value)) {
      ({ x: point, value } = minimiseBfgs(
        withDifferences((x) => exact(x) + prior(x), DIFFERENCE_STEP),
        point,
        search,
      ));
    }
  }
  if (!Number.isFinite(value)) return null;
  const coefficients = read(point);
  const usable =
    rootsOutside(Float64Array.from(coefficients.ar), LEAST_ROOT) &&
    rootsOutside(Float64Array.from(coefficients.ma, negate), LEAST_ROOT) &&
    rootsOutside(Float64Array.from(coefficients.seasonalAr), LEAST_ROOT ** seasonLength) &&
    rootsOutside(Float64Array.from(coefficients.seasonalMa, negate), LEAST_ROOT ** seasonLength);
  const aicc = n * value + 2 * k + (2 * k * (k + 1)) / (n - k - 1);
  return { order, coefficients, point, aicc: usable ? aicc : Number.POSITIVE_INFINITY };
}

const negate = (value: number): number => -value;

/** Coefficients of lags 1 … p + P m. */
export function expandAr({ ar, seasonalAr }: ArmaCoefficients, seasonLength: number): Float64Array {
  return multiplySeasonal(Float64Array.from(ar), Float64Array.from(seasonalAr), seasonLength);
}

/** Coefficients of lags 1 … q + Q m, with a plus. */
export function expandMa({ ma, seasonalMa }: ArmaCoefficients, seasonLength: number): Float64Array {
  return multiplySeasonal(
    Float64Array.from(ma, negate),
    Float64Array.from(seasonalMa, negate),
    seasonLength,
  ).map(negate);
}

/** Log of the mean square of the errors, those before the first one that has all its lags taken as 0. */
function conditionalLoss(
  values: Float64Array,
  ar: Float64Array,
  ma: Float64Array,
  mean: number,
): number {
  const n = values.length;
  const arLags = lagsOf(ar);
  const maLags = lagsOf(ma);
  const first = Math.min(ar.length, Math.max(0, n - 3));
  const errors = new Float64Array(n);
  let squares = 0;
  for (let t = first; t < n; t++) {
    let error = values[t] - mean;
    for (const lag of arLags) if (lag <= t) error -= ar[lag - 1] * (values[t - lag] - mean);
    for (const lag of maLags) if (lag <= t) error -= ma[lag - 1] * errors[t - lag];
    errors[t] = error;
    squares += error * error;
  }
  return Math.log(squares / (n - first) + 1e-24);
}

/** Lags with a coefficient: of a seasonal polynomial few have one. */
function lagsOf(coefficients: Float64Array): number[] {
  const lags: number[] = [];
  for (let lag = 1; lag <= coefficients.length; lag++)
    if (coefficients[lag - 1] !== 0) lags.push(lag);
  return lags;
}
