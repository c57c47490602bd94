/**
 * One order fitted to a differenced series: by conditional sum of squares, then from there by exact
 * likelihood (Box, Jenkins & Reinsel, "Time series analysis", 3rd ed., 1994, ch. 7).
 */

import { minimiseBfgs } from "../optimise/bfgs.ts";
import { withDifferences } from "../optimise/differences.ts";
import { type ArimaOrder, parameterCount } from "./arima-order.ts";
import { filterArma } from "./arma-filter.ts";
import {
  type ConditionalModel,
  type ConditionalSizes,
  minimiseConditional,
} from "./conditional-fit.ts";
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

/** By how much of the criterion the last step of a fit may still lower it, of many orders and of one. */
const ROUGH = 0.02;
const FINE = 1e-3;

/** Roots nearer to the circle make a model that cannot be told from a differenced one. */
const LEAST_ROOT = 1.001;
/**
 * A weak prior keeps coefficients from the circle, where the likelihood of short series likes to put them:
 * each partial autocorrelation r has a density as (1 - r^2)^weight.
 */
const PRIOR_WEIGHT = 1;
/** Numbers of the search beyond which a coefficient hardly changes any more. */
const NEAR_CIRCLE = 3;
const DIFFERENCE_STEP = 1e-4;
const SEARCH = { maxIterations: 60, firstStep: 0.3 };

export interface FitOrderOptions {
  /** A point to begin with, of the same order. */
  readonly start?: Float64Array | null;
  /** Of the prior; 0 = the likelihood alone. */
  readonly weight?: number;
  /** Whether it is compared with other orders first, and fitted again if it is the best. */
  readonly isRough?: boolean;
}

/** The point of one order that is nearest to one of another. */
export function pointFrom({ order, point }: FittedOrder, other: ArimaOrder): Float64Array {
  const sizes = sizesOf(other);
  const moved = new Float64Array(sizes.reduce((sum, size) => sum + size, 0));
  let from = 0;
  let to = 0;
  sizesOf(order).forEach((size, part) => {
    // Partial autocorrelations: those of lags that the other order has, too, stay as they are.
    moved.set(point.subarray(from, from + Math.min(size, sizes[part])), to);
    from += size;
    to += sizes[part];
  });
  return moved;
}

function sizesOf({ p, q, seasonalP, seasonalQ, constant }: ArimaOrder): ConditionalSizes {
  return [p, seasonalP, q, seasonalQ, constant ? 1 : 0];
}

/**
 * @param values the differenced series, in units of its standard deviation
 */
export function fitOrder(
  values: Float64Array,
  order: ArimaOrder,
  seasonLength: number,
  method: FitMethod,
  { start = null, weight = PRIOR_WEIGHT, isRough = false }: FitOrderOptions = {},
): FittedOrder | null {
  const { p, q, seasonalP, seasonalQ, constant } = order;
  const n = values.length;
  const k = parameterCount(order);
  if (n < k + 2) return null;
  let mean = 0;
  for (const value of values) mean += value / n;
  const count = p + seasonalP + q + seasonalQ;
  const begin = start?.slice() ?? new Float64Array(count + (constant ? 1 : 0));
  if (constant && begin[count] === 0) begin[count] = mean;

  const readModel = (x: Float64Array): ConditionalModel => {
    let at = 0;
    const take = (size: number): Float64Array => {
      const part = fromPartials(x.subarray(at, at + size).map(Math.tanh));
      at += size;
      return part;
    };
    const ar = take(p);
    const seasonalAr = take(seasonalP);
    const ma = take(q).map(negate);
    const seasonalMa = take(seasonalQ).map(negate);
    return { ar, seasonalAr, ma, seasonalMa, mean: constant ? x[count] : 0 };
  };
  const read = (x: Float64Array): ArmaCoefficients => {
    const { ar, seasonalAr, ma, seasonalMa, mean: level } = readModel(x);
    return {
      ar: [...ar],
      seasonalAr: [...seasonalAr],
      ma: [...ma],
      seasonalMa: [...seasonalMa],
      mean: level,
    };
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
  const search = { ...SEARCH, tolerance: (isRough ? ROUGH : FINE) / n };
  const conditional = minimiseConditional(
    {
      values,
      seasonLength,
      sizes: sizesOf(order),
      read: readModel,
      weight: 4 * weight,
      tolerance: search.tolerance,
      maxIterations: search.maxIterations,
    },
    begin,
  );
  let { x: point, value } = conditional ?? { x: begin, value: Number.POSITIVE_INFINITY };
  if (method === "ml") {
    // The two may disagree about points near the circle: begin off it,
    // and where no neighbour is known from white noise, too.
    const inside = (number: number, i: number): number =>
      i < count ? Math.max(-NEAR_CIRCLE, Math.min(NEAR_CIRCLE, number)) : number;
    const beginnings = [point.map(inside)];
    if (start === null || !Number.isFinite(exact(beginnings[0]))) {
      beginnings.push(begin.map((number, i) => (i < count ? 0 : number)));
    }
    value = Number.POSITIVE_INFINITY;
    for (const beginning of beginnings) {
      const first = exact(beginning) + prior(beginning);
      const found =
        beginning.length > 0 && Number.isFinite(first)
          ? minimiseBfgs(
              withDifferences((x) => exact(x) + prior(x), DIFFERENCE_STEP),
              beginning,
              search,
            )
          : { x: beginning, value: first };
      if (found.value < value || value === Number.POSITIVE_INFINITY) ({ x: point, value } = found);
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
