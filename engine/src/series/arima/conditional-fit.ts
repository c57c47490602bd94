/**
 * The conditional sum of squares of an ARMA model and its minimum, by the method of Levenberg and
 * Marquardt: errors are all but linear in the coefficients, so the derivatives of the errors alone lead
 * there in a few steps (Box, Jenkins & Reinsel, "Time series analysis", 3rd ed., 1994, sec. 7.2; Marquardt,
 * J. SIAM 11(2), 1963). The derivatives are recursions like that of the errors.
 */

import { solveLinear } from "./solve-linear.ts";

/** What a point of the search stands for. */
export interface ConditionalModel {
  /** Of 1 - phi B - … and 1 - Phi B^m - … */
  readonly ar: Float64Array;
  readonly seasonalAr: Float64Array;
  /** Of 1 + theta B + … and 1 + Theta B^m + … */
  readonly ma: Float64Array;
  readonly seasonalMa: Float64Array;
  readonly mean: number;
}

/** Numbers of ar, seasonal ar, ma and seasonal ma coefficients, and then of means: 0 or 1. */
export type ConditionalSizes = readonly [number, number, number, number, number];

export interface ConditionalSearch {
  /** The differenced series. */
  readonly values: Float64Array;
  readonly seasonLength: number;
  readonly sizes: ConditionalSizes;
  /** From as many numbers as `sizes` sum to. */
  read(x: Float64Array): ConditionalModel;
  /** Each number but the mean's is drawn to 0 by weight times the logarithm of its hyperbolic cosine. */
  readonly weight: number;
  /** Ends where a step lowers the loss by less. */
  readonly tolerance: number;
  readonly maxIterations: number;
}

export interface ConditionalMinimum {
  readonly x: Float64Array;
  /** Logarithm of the mean square of the errors, and what draws the numbers to 0. */
  readonly value: number;
}

/** Of coefficients, for their derivatives by the numbers of the search. */
const DIFFERENCE = 1e-6;
const FIRST_DAMPING = 1e-3;
const MOST_DAMPING = 1e6;
/** Of any number of the search: the circle lies at infinity, and the errors there are not linear. */
const LONGEST_STEP = 1.5;
/** A sum of squares of 0 has no logarithm. */
const LEAST_SQUARE = 1e-24;

/** @returns null where the loss at the start is not finite */
export function minimiseConditional(
  search: ConditionalSearch,
  start: Float64Array,
): ConditionalMinimum | null {
  const k = start.length;
  const sums = new ConditionalSums(search);
  let x = start.slice();
  let value = sums.loss(search.read(x)) + drawn(x, search);
  if (!Number.isFinite(value)) return null;
  let damping = FIRST_DAMPING;
  for (let iteration = 0; k > 0 && iteration < search.maxIterations; iteration++) {
    const { matrix, gradient } = sums.normal(x);
    addDrawn(x, search, matrix, gradient);
    let gain = -1;
    for (; damping <= MOST_DAMPING; damping *= 10) {
      const damped = matrix.slice();
      const step = gradient.map((slope) => -slope);
      for (let i = 0; i < k; i++) damped[i * k + i] += damping * (matrix[i * k + i] + 1e-9);
      if (!solveLinear(damped, step)) continue;
      const longest = Math.max(...step.map(Math.abs));
      const share = Math.min(1, LONGEST_STEP / longest);
      const next = x.map((number, i) => number + share * step[i]);
      const nextValue = sums.loss(search.read(next)) + drawn(next, search);
      if (!(nextValue < value)) continue;
      gain = value - nextValue;
      [x, value] = [next, nextValue];
      damping = Math.max(1e-9, damping / 10);
      break;
    }
    if (!(gain > search.tolerance)) break;
  }
  return { x, value };
}

/** log cosh, without overflow. */
function drawn(x: Float64Array, { values, sizes, weight }: ConditionalSearch): number {
  let sum = 0;
  for (let i = 0; i < x.length - sizes[4]; i++) {
    const size = Math.abs(x[i]);
    sum += size + Math.log1p(Math.exp(-2 * size)) - Math.LN2;
  }
  return (weight * sum) / values.length;
}

function addDrawn(
  x: Float64Array,
  { values, sizes, weight }: ConditionalSearch,
  matrix: Float64Array,
  gradient: Float64Array,
): void {
  const k = x.length;
  for (let i = 0; i < k - sizes[4]; i++) {
    const bent = Math.tanh(x[i]);
    gradient[i] += (weight / values.length) * bent;
    matrix[i * k + i] += (weight / values.length) * (1 - bent * bent);
  }
}

/** (1 + sign sum plain) (1 + sign sum seasonal) less the leading 1: its lags and their coefficients. */
interface Polynomial {
  readonly lags: readonly number[];
  readonly coefficients: Float64Array;
}

const NONE = new Float64Array(0);

/** The errors of one model after another, those before the first that has all its lags taken as 0. */
class ConditionalSums {
  readonly #search: ConditionalSearch;
  readonly #first: number;
  /** Values less the mean. */
  readonly #centred: Float64Array;
  readonly #errors: Float64Array;
  readonly #through: Float64Array;
  /** Of the errors, by each coefficient. */
  readonly #slopes: readonly Float64Array[];
  #squares = 0;

  constructor(search: ConditionalSearch) {
    const { values, seasonLength, sizes } = search;
    const n = values.length;
    this.#search = search;
    this.#first = Math.min(sizes[0] + sizes[1] * seasonLength, Math.max(0, n - 3));
    this.#centred = new Float64Array(n);
    this.#errors = new Float64Array(n);
    this.#through = new Float64Array(n);
    const count = sizes.reduce((sum, size) => sum + size, 0);
    this.#slopes = Array.from({ length: count }, () => new Float64Array(n));
  }

  /** Logarithm of the mean square of the errors. */
  loss(model: ConditionalModel): number {
    const { values, seasonLength } = this.#search;
    const [n, first, errors] = [values.length, this.#first, this.#errors];
    for (let t = 0; t < n; t++) this.#centred[t] = values[t] - model.mean;
    multiply(this.#centred, product(model.ar, model.seasonalAr, seasonLength, -1), errors);
    errors.fill(0, 0, first);
    divide(errors, first, product(model.ma, model.seasonalMa, seasonLength, 1));
    this.#squares = dot(errors, errors, first);
    return Math.log(this.#squares / (n - first) + LEAST_SQUARE);
  }

  /**
   * Gradient of the loss at a point, and the part of its second derivatives that needs first ones of
   * errors alone.
   */
  normal(x: Float64Array): { matrix: Float64Array; gradient: Float64Array } {
    const { read, sizes } = this.#search;
    const model = read(x);
    this.loss(model);
    this.#findSlopes(model);
    const k = x.length;
    const first = this.#first;
    const n = this.#errors.length;
    const unit = 2 / (this.#squares + (n - first) * LEAST_SQUARE);
    const products = new Float64Array(k * k);
    const errors = new Float64Array(k);
    for (let i = 0; i < k; i++) {
      errors[i] = unit * dot(this.#slopes[i], this.#errors, first);
      for (let j = 0; j <= i; j++) {
        const value = unit * dot(this.#slopes[i], this.#slopes[j], first);
        products[i * k + j] = value;
        products[j * k + i] = value;
      }
    }
    // From coefficients to the numbers of the search; the mean is both.
    const rates = ratesOf(x, model, this.#search);
    const count = k - sizes[4];
    const rate = (c: number, i: number): number =>
      c < count && i < count ? rates[c * count + i] : c === i ? 1 : 0;
    const half = new Float64Array(k * k);
    const matrix = new Float64Array(k * k);
    const gradient = new Float64Array(k);
    for (let i = 0; i < k; i++) {
      for (let c = 0; c < k; c++) {
        const own = rate(c, i);
        if (own === 0) continue;
        gradient[i] += own * errors[c];
        for (let j = 0; j < k; j++) half[i * k + j] += own * products[c * k + j];
      }
    }
    for (let i = 0; i < k; i++) {
      for (let j = 0; j < k; j++) {
        let sum = 0;
        for (let c = 0; c < k; c++) sum += half[i * k + c] * rate(c, j);
        matrix[i * k + j] = sum;
      }
    }
    return { matrix, gradient };
  }

  #findSlopes({ ar, seasonalAr, ma, seasonalMa }: ConditionalModel): void {
    const { seasonLength, sizes } = this.#search;
    const first = this.#first;
    const moving = product(ma, seasonalMa, seasonLength, 1);
    let c = 0;
    const write = (source: Float64Array, factor: Polynomial, step: number, count: number): void => {
      if (count === 0) return;
      multiply(source, factor, this.#through);
      for (let j = 1; j <= count; j++) {
        const slope = this.#slopes[c++];
        const begin = Math.max(first, j * step);
        slope.fill(0, 0, begin);
        for (let t = begin; t < slope.length; t++) slope[t] = -this.#through[t - j * step];
        divide(slope, first, moving);
      }
    };
    write(this.#centred, product(NONE, seasonalAr, seasonLength, -1), 1, sizes[0]);
    write(this.#centred, product(ar, NONE, seasonLength, -1), seasonLength, sizes[1]);
    write(this.#errors, product(NONE, seasonalMa, seasonLength, 1), 1, sizes[2]);
    write(this.#errors, product(ma, NONE, seasonLength, 1), seasonLength, sizes[3]);
    if (sizes[4] === 1) {
      const { coefficients } = product(ar, seasonalAr, seasonLength, -1);
      const slope = this.#slopes[c];
      slope.fill(0, 0, first);
      slope.fill(-coefficients.reduce((sum, value) => sum + value, 1), first);
      divide(slope, first, moving);
    }
  }
}

/** Of each coefficient by each number of the search: row-major, coefficients × numbers. */
function ratesOf(
  x: Float64Array,
  model: ConditionalModel,
  { read, sizes }: ConditionalSearch,
): Float64Array {
  const count = x.length - sizes[4];
  const rates = new Float64Array(count * count);
  const own = coefficientsOf(model);
  const moved = x.slice();
  for (let i = 0; i < count; i++) {
    moved[i] = x[i] + DIFFERENCE;
    const other = coefficientsOf(read(moved));
    for (let c = 0; c < count; c++) rates[c * count + i] = (other[c] - own[c]) / DIFFERENCE;
    moved[i] = x[i];
  }
  return rates;
}

function coefficientsOf({ ar, seasonalAr, ma, seasonalMa }: ConditionalModel): number[] {
  return [...ar, ...seasonalAr, ...ma, ...seasonalMa];
}

function product(
  plain: Float64Array,
  seasonal: Float64Array,
  seasonLength: number,
  sign: 1 | -1,
): Polynomial {
  const lags: number[] = [];
  const coefficients = new Float64Array((plain.length + 1) * (seasonal.length + 1) - 1);
  for (let i = 1; i <= plain.length; i++) {
    coefficients[lags.length] = sign * plain[i - 1];
    lags.push(i);
  }
  for (let s = 1; s <= seasonal.length; s++) {
    const value = sign * seasonal[s - 1];
    coefficients[lags.length] = value;
    lags.push(s * seasonLength);
    for (let i = 1; i <= plain.length; i++) {
      coefficients[lags.length] = sign * plain[i - 1] * value;
      lags.push(s * seasonLength + i);
    }
  }
  return { lags, coefficients };
}

/** The values, each with the lagged ones before it. */
function multiply(
  values: Float64Array,
  { lags, coefficients }: Polynomial,
  into: Float64Array,
): void {
  into.set(values);
  for (let i = 0; i < lags.length; i++) {
    const lag = lags[i];
    const coefficient = coefficients[i];
    for (let t = lag; t < values.length; t++) into[t] += coefficient * values[t - lag];
  }
}

/** The reverse in place: each value less the lagged ones before it, none of which is before `first`. */
function divide(values: Float64Array, first: number, { lags, coefficients }: Polynomial): void {
  const count = lags.length;
  const n = values.length;
  if (count === 0) return;
  for (let t = first; t < n; t++) {
    let value = values[t];
    for (let i = 0; i < count; i++) {
      const lag = lags[i];
      if (lag <= t) value -= coefficients[i] * values[t - lag];
    }
    values[t] = value;
  }
}

function dot(one: Float64Array, other: Float64Array, from: number): number {
  let sum = 0;
  for (let t = from; t < one.length; t++) sum += one[t] * other[t];
  return sum;
}
