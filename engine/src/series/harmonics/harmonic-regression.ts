/**
 * Sines and cosines of a long season that need not be whole steps, as a year of days: least squares together with a line and
 * the steps of a shorter season, under errors of a first order autoregression (Cochrane & Orcutt, J. Am. Stat. Assoc. 44(245),
 * 1949), as many pairs as the Bayesian criterion asks for. Harmonic regression: Hyndman & Athanasopoulos, "Forecasting:
 * principles and practice", 3rd ed., sec. 10.5.
 */

import { factorCholesky, solveCholesky } from "../../compute/cholesky.ts";

/** Pairs of waves that are tried at most: of a year, waves of half a quarter. */
const MOST_PAIRS = 8;
/** Steps of a shorter season that have a term each; of longer ones a level each would cost more than it tells. */
const MOST_LEVELS = 24;
/** Alternations of the regression and of the autocorrelation of its errors. */
const PASSES = 4;
/** Closer to 1 the line and the level could not be told from the errors. */
const MOST_AUTOCORRELATION = 0.999;
/** Of the diagonal: levels and waves of few steps are nearly dependent. */
const RIDGE = 1e-9;

export interface HarmonicOptions {
  /** Steps of the long season. */
  readonly period: number;
  /** Steps of a shorter season whose levels are estimated beside; 1 = none. */
  readonly seasonLength: number;
}

export interface FittedHarmonics {
  /** Sine and cosine of each pair, the longest waves first; empty where the series shows none. */
  readonly coefficients: readonly number[];
  /** Of neighbouring errors. */
  readonly autocorrelation: number;
}

/** The waves at a step, counted from the first value that was fitted to. */
export function harmonicAt(coefficients: readonly number[], period: number, step: number): number {
  let sum = 0;
  for (let k = 0; 2 * k < coefficients.length; k++) {
    const angle = (2 * Math.PI * (((k + 1) * step) % period)) / period;
    sum += coefficients[2 * k] * Math.sin(angle) + coefficients[2 * k + 1] * Math.cos(angle);
  }
  return sum;
}

/** @param values more than there are terms, and not all the same */
export function fitHarmonics(
  values: Float64Array,
  { period, seasonLength }: HarmonicOptions,
): FittedHarmonics {
  const n = values.length;
  const levels = seasonLength <= MOST_LEVELS ? seasonLength - 1 : 0;
  const plain = 2 + levels;
  const products = productsOf(values, { period, seasonLength, levels });
  let best: FittedHarmonics = { coefficients: [], autocorrelation: 0 };
  let least = Number.POSITIVE_INFINITY;
  for (let pairs = 0; pairs <= MOST_PAIRS; pairs++) {
    const width = plain + 2 * pairs;
    if (n <= width + 2 || 2 * pairs >= period) break;
    const fitted = regression(products, width);
    if (fitted === null) break;
    const criterion =
      n * Math.log(Math.max(fitted.squares, Number.MIN_VALUE) / n) + Math.log(n) * width;
    if (!(criterion < least)) continue;
    least = criterion;
    const { autocorrelation } = fitted;
    best = { coefficients: [...fitted.weights.subarray(plain)], autocorrelation };
  }
  return best;
}

/** Sums over neighbouring steps of products of their rows; a row is the terms, and the value behind them. */
interface Products {
  /** Terms and the value. */
  readonly size: number;
  /** Row-major: of a row with itself, of the row before with itself, and of a row with the one before. */
  readonly now: Float64Array;
  readonly before: Float64Array;
  readonly across: Float64Array;
}

function productsOf(
  values: Float64Array,
  { period, seasonLength, levels }: HarmonicOptions & { readonly levels: number },
): Products {
  const n = values.length;
  const plain = 2 + levels;
  const size = plain + 2 * MOST_PAIRS + 1;
  const write = (row: Float64Array, t: number): Float64Array => {
    row.fill(0);
    row[0] = 1;
    row[1] = t / n - 0.5;
    if (t % seasonLength < levels) row[2 + (t % seasonLength)] = 1;
    for (let k = 0; k < MOST_PAIRS; k++) {
      const angle = (2 * Math.PI * (((k + 1) * t) % period)) / period;
      row[plain + 2 * k] = Math.sin(angle);
      row[plain + 2 * k + 1] = Math.cos(angle);
    }
    row[size - 1] = values[t];
    return row;
  };
  const [now, before, across] = [0, 1, 2].map(() => new Float64Array(size * size));
  let last: Float64Array = write(new Float64Array(size), 0);
  let row: Float64Array = new Float64Array(size);
  for (let t = 1; t < n; t++) {
    write(row, t);
    for (let i = 0; i < size; i++) {
      const [own, earlier] = [row[i], last[i]];
      for (let j = 0; j < size; j++) {
        now[i * size + j] += own * row[j];
        before[i * size + j] += earlier * last[j];
        across[i * size + j] += own * last[j];
      }
    }
    [last, row] = [row, last];
  }
  return { size, now, before, across };
}

interface Regression {
  readonly weights: Float64Array;
  readonly autocorrelation: number;
  /** Of the errors that the autocorrelation leaves. */
  readonly squares: number;
}

/** Of the first `width` terms; null where they are dependent. */
function regression(products: Products, width: number): Regression | null {
  const { size, now, before, across } = products;
  let autocorrelation = 0;
  let weights = new Float64Array(width);
  /** Of the errors by the weights: a row's own, of the row before, and of both. */
  const errorsOf = (sums: Float64Array): number => {
    const at = (i: number): number => (i < width ? -weights[i] : 1);
    const place = (i: number): number => (i < width ? i : size - 1);
    let sum = 0;
    for (let i = 0; i <= width; i++) {
      for (let j = 0; j <= width; j++) sum += at(i) * at(j) * sums[place(i) * size + place(j)];
    }
    return sum;
  };
  for (let pass = 0; pass <= PASSES; pass++) {
    if (pass > 0) {
      const share = errorsOf(across) / errorsOf(before);
      autocorrelation = Number.isFinite(share)
        ? Math.max(0, Math.min(MOST_AUTOCORRELATION, share))
        : 0;
    }
    const p = autocorrelation;
    const of = (i: number, j: number): number =>
      now[i * size + j] -
      p * (across[i * size + j] + across[j * size + i]) +
      p * p * before[i * size + j];
    const matrix = new Float64Array(width * width);
    const found = new Float64Array(width);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) matrix[i * width + j] = of(i, j);
      matrix[i * width + i] *= 1 + RIDGE;
      found[i] = of(i, size - 1);
    }
    if (!factorCholesky(matrix, width)) return null;
    solveCholesky(matrix, width, found);
    weights = found;
  }
  const p = autocorrelation;
  const squares = errorsOf(now) - 2 * p * errorsOf(across) + p * p * errorsOf(before);
  return { weights, autocorrelation, squares };
}
