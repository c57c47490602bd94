/**
 * Seasonal ARIMA models whose order is found step by step by the corrected Akaike criterion: Hyndman &
 * Khandakar 2008 (`unit-roots.ts`), sec. 3.2.
 */

import { difference } from "../seasonality/differences.ts";
import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";
import { isConstant, keptDifferences, scaled, scaleOf, unscaled } from "../standardise.ts";
import { type ArimaOrder, orderName } from "./arima-order.ts";
import { filterArma } from "./arma-filter.ts";
import { estimatedMean } from "./estimated-mean.ts";
import {
  type ArmaCoefficients,
  expandAr,
  expandMa,
  type FitMethod,
  type FittedOrder,
  fitOrder,
  pointFrom,
} from "./fit-order.ts";
import { plainDifferences, seasonalDifferences } from "./unit-roots.ts";

export interface ArimaOptions {
  /** Steps of a season; 1 = none. */
  readonly seasonLength: number;
  /**
   * Plain differences that the tests may ask for, from 0 to 2. Default 1: of a series that is differenced
   * twice, forecasts go on along its last slope, and on yearly series of the M3 and tourism competitions that
   * cost more than it gained.
   */
  readonly mostDifferences?: number;
}

export interface SavedArima {
  readonly order: ArimaOrder;
  readonly seasonLength: number;
  /** What values are divided by; the mean is one of scaled differences. */
  readonly scale: number;
  readonly coefficients: ArmaCoefficients;
  /**
   * The first values fitted to: the mean of a history that begins so is the fitted one, that of others is estimated. Former
   * versions kept none.
   */
  readonly beginning?: readonly number[] | undefined;
}

/** Values by which a history is known again. */
const BEGINNING = 8;
/** Observations that a fitted drift counts for: short histories tell little of it. The level is the history's alone. */
const DRIFT_PRIOR = 10;

const MOST_LAGS = 5;
const MOST_SEASONAL_LAGS = 2;
/** Orders that one search fits at most. */
const MOST_MODELS = 94;
/** Longer histories and seasons are searched by conditional sums of squares, as in R. */
const LONG_HISTORY = 150;
const LONG_SEASON = 12;
/** Values times lags up to which the last fit is by exact likelihood. */
const MOST_EXACT_WORK = 1e4;

/** @throws RangeError where the history is empty or not finite */
export function fitArima(history: Float64Array, options: ArimaOptions): SeriesModel<SavedArima> {
  checkSeason(options.seasonLength);
  checkHistory(history);
  const scale = scaleOf(history);
  const values = scaled(history, scale);
  const beginning = [...history.subarray(0, BEGINNING)];
  // A season that the history does not show twice is none.
  const seasonLength = values.length > 2 * options.seasonLength ? options.seasonLength : 1;
  const seasonalD = seasonalDifferences(values, seasonLength);
  const deseasoned = difference(values, seasonLength, seasonalD);
  const d = plainDifferences(deseasoned, options.mostDifferences ?? 1);
  const differenced = difference(deseasoned, 1, d);
  const constant = d + seasonalD <= 1;
  if (isConstant(differenced) || differenced.length < 4) {
    // A straight line, a repeated season, or too few values for anything else.
    const mean = constant && differenced.length > 0 ? meanOf(differenced) : 0;
    const order = { p: 0, d, q: 0, seasonalP: 0, seasonalD, seasonalQ: 0, constant };
    const coefficients = { ar: [], seasonalAr: [], ma: [], seasonalMa: [], mean };
    return loadArima({ order, seasonLength, scale, coefficients, beginning });
  }
  const spread = deviationOf(differenced);
  const unit = differenced.map((value) => value / spread);
  const best = searchOrder(unit, { d, seasonalD, constant }, seasonLength);
  return loadArima({
    order: best.order,
    seasonLength,
    scale,
    coefficients: { ...best.coefficients, mean: best.coefficients.mean * spread },
    beginning,
  });
}

interface Differencing {
  readonly d: number;
  readonly seasonalD: number;
  /** May the order have a constant? */
  readonly constant: boolean;
}

function searchOrder(
  values: Float64Array,
  { d, seasonalD, constant: mayHaveConstant }: Differencing,
  seasonLength: number,
): FittedOrder {
  const n = values.length;
  const seasonal = seasonLength > 1;
  const mostLags = Math.min(MOST_LAGS, Math.floor(n / 3), seasonal ? seasonLength - 1 : MOST_LAGS);
  const mostSeasonal = seasonal
    ? Math.min(MOST_SEASONAL_LAGS, Math.floor(n / 3 / seasonLength))
    : 0;
  const method: FitMethod = n > LONG_HISTORY || seasonLength > LONG_SEASON ? "css" : "ml";
  const tried = new Map<string, FittedOrder | null>();
  let best: FittedOrder | null = null;
  const attempt = (order: ArimaOrder): boolean => {
    const { p, q, seasonalP, seasonalQ, constant } = order;
    if (Math.min(p, q, seasonalP, seasonalQ) < 0 || Math.max(p, q) > mostLags) return false;
    if (Math.max(seasonalP, seasonalQ) > mostSeasonal || (constant && !mayHaveConstant))
      return false;
    const name = orderName(order, seasonLength);
    if (tried.has(name) || tried.size >= MOST_MODELS) return false;
    const start = best === null ? null : pointFrom(best, order);
    const fitted = fitOrder(values, order, seasonLength, method, { start, isRough: true });
    tried.set(name, fitted);
    if (fitted === null || !(fitted.aicc < (best?.aicc ?? Number.POSITIVE_INFINITY))) return false;
    best = fitted;
    return true;
  };
  const order = (p: number, q: number, seasonalP: number, seasonalQ: number): ArimaOrder => ({
    ...{ p, d, q, seasonalP, seasonalD, seasonalQ },
    constant: mayHaveConstant,
  });
  const one = Math.min(1, mostSeasonal);
  const two = Math.min(2, mostLags);
  attempt(order(two, two, one, one));
  attempt(order(0, 0, 0, 0));
  attempt({ ...order(0, 0, 0, 0), constant: false });
  attempt(order(Math.min(1, mostLags), 0, one, 0));
  attempt(order(0, Math.min(1, mostLags), 0, one));
  // Neighbours of the best, until none is better.
  const steps: readonly Partial<Record<"p" | "q" | "seasonalP" | "seasonalQ", number>>[] = [
    { seasonalP: -1 },
    { seasonalQ: -1 },
    { seasonalP: 1 },
    { seasonalQ: 1 },
    { seasonalP: -1, seasonalQ: -1 },
    { seasonalP: -1, seasonalQ: 1 },
    { seasonalP: 1, seasonalQ: -1 },
    { seasonalP: 1, seasonalQ: 1 },
    { p: -1 },
    { q: -1 },
    { p: 1 },
    { q: 1 },
    { p: -1, q: -1 },
    { p: -1, q: 1 },
    { p: 1, q: -1 },
    { p: 1, q: 1 },
  ];
  const neighbours = (from: ArimaOrder): boolean =>
    steps.some((step) =>
      attempt({
        ...from,
        p: from.p + (step.p ?? 0),
        q: from.q + (step.q ?? 0),
        seasonalP: from.seasonalP + (step.seasonalP ?? 0),
        seasonalQ: from.seasonalQ + (step.seasonalQ ?? 0),
      }),
    ) || attempt({ ...from, constant: !from.constant });
  for (let found: FittedOrder | null = best; found !== null; found = best) {
    if (!neighbours((found as FittedOrder).order)) break;
  }
  if (best === null) return plainOrder(values, d, seasonalD);
  const chosen: FittedOrder = best;
  const isLong = n * lagsOf(chosen.order, seasonLength) > MOST_EXACT_WORK;
  const last = fitOrder(values, chosen.order, seasonLength, isLong ? "css" : "ml", {
    start: chosen.point,
  });
  return last !== null && last.aicc < Number.POSITIVE_INFINITY ? last : chosen;
}

function lagsOf({ p, q, seasonalP, seasonalQ }: ArimaOrder, seasonLength: number): number {
  return p + q + (seasonalP + seasonalQ) * seasonLength;
}

/** White noise, where no order could be fitted. */
function plainOrder(values: Float64Array, d: number, seasonalD: number): FittedOrder {
  const constant = d + seasonalD <= 1;
  return {
    order: { p: 0, d, q: 0, seasonalP: 0, seasonalD, seasonalQ: 0, constant },
    coefficients: {
      ar: [],
      seasonalAr: [],
      ma: [],
      seasonalMa: [],
      mean: constant ? meanOf(values) : 0,
    },
    aicc: Number.POSITIVE_INFINITY,
    point: new Float64Array(0),
  };
}

function meanOf(values: Float64Array): number {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  return mean;
}

/** Around the mean, or else around 0. */
function deviationOf(values: Float64Array): number {
  const mean = meanOf(values);
  let sum = 0;
  for (const value of values) sum += (value - mean) ** 2 / values.length;
  return Math.sqrt(sum);
}

export function loadArima(saved: SavedArima): SeriesModel<SavedArima> {
  const { order, seasonLength, scale, coefficients } = saved;
  const { d, seasonalD } = order;
  return {
    saved,
    forecast(history, horizon, since) {
      checkRequest(history, horizon);
      const values = scaled(history, scale);
      if (values.length <= d + seasonalD * seasonLength) {
        // Too short to be differenced as often: its last value.
        return new Float64Array(horizon).fill(history[history.length - 1]);
      }
      const differenced = difference(difference(values, seasonLength, seasonalD), 1, d);
      const ar = expandAr(coefficients, seasonLength);
      const ma = expandMa(coefficients, seasonLength);
      const isKnown =
        (since ?? 0) === 0 && (saved.beginning ?? []).every((value, t) => value === history[t]);
      const own = isKnown ? null : estimatedMean(differenced, ar, ma);
      const mean = own === null ? coefficients.mean : meanOfOther(saved, history, own, differenced);
      const filter = filterArma(
        differenced.map((value) => value - mean),
        ar,
        ma,
        horizon,
      );
      const steps = filter?.forecasts ?? new Float64Array(horizon);
      const ahead = steps.map((value) => value + mean);
      return unscaled(integrate(values, ahead, d, seasonalD, seasonLength), scale);
    },
  };
}

/**
 * The level of another history is its own: one that has moved is why it is sent. What differences go on by is drawn to the fit.
 *
 * @param own estimated of the differences
 */
function meanOfOther(
  { order, scale, coefficients }: SavedArima,
  history: Float64Array,
  own: number,
  { length }: Float64Array,
): number {
  if (order.d + order.seasonalD === 0) return own;
  if (!order.constant) return 0;
  const size = scaleOf(history) / scale;
  const fitted = coefficients.mean * keptDifferences(scaleOf(history), scale) * size;
  return (length * own + DRIFT_PRIOR * fitted) / (length + DRIFT_PRIOR);
}

/** Undoes the differences of forecasts that follow these values. */
function integrate(
  values: Float64Array,
  ahead: Float64Array,
  d: number,
  seasonalD: number,
  seasonLength: number,
): Float64Array {
  let forecasts = ahead;
  for (let level = d - 1; level >= 0; level--) {
    const before = difference(difference(values, seasonLength, seasonalD), 1, level);
    let last = before[before.length - 1];
    forecasts = forecasts.map((value) => {
      last += value;
      return last;
    });
  }
  if (seasonalD === 0) return forecasts;
  const whole = new Float64Array(values.length + forecasts.length);
  whole.set(values);
  for (let h = 0; h < forecasts.length; h++) {
    const t = values.length + h;
    whole[t] = whole[t - seasonLength] + forecasts[h];
  }
  return whole.subarray(values.length).slice();
}
