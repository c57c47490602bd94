/**
 * STL, the decomposition into season, trend and remainder by loess: Cleveland, Cleveland, McRae &
 * Terpenning, "STL: a seasonal-trend decomposition procedure based on loess", J. Official Statistics 6(1),
 * 1990, sec. 2 and 3.
 */

import { loess } from "./loess.ts";

export interface StlOptions {
  /** Steps of a season, at least 2. */
  readonly seasonLength: number;
  /** Neighbours, counted in seasons, that smooth each step of the season; odd. */
  readonly seasonalWindow: number;
  /** Degree of the seasonal fit; default 0. */
  readonly seasonalDegree?: 0 | 1;
  /** Default: the least odd number of at least 1.5 m / (1 - 1.5 / seasonal window). */
  readonly trendWindow?: number;
  /** Passes that weigh outliers down; default 0. */
  readonly robustPasses?: number;
}

export interface StlParts {
  readonly season: Float64Array;
  readonly trend: Float64Array;
  readonly remainder: Float64Array;
}

/** Passes of the inner loop without and with robustness (sec. 3.3). */
const INNER_PASSES = 2;
const ROBUST_INNER_PASSES = 5;
/** Weighted neighbours of all fits of one smoothing beyond which it skips points. */
const MOST_WORK = 2e6;

const nextOdd = (x: number): number => {
  const whole = Math.ceil(x);
  return whole % 2 === 1 ? whole : whole + 1;
};

/** @param values at least two seasons */
export function decomposeStl(values: Float64Array, options: StlOptions): StlParts {
  const { seasonLength: m, seasonalWindow, seasonalDegree = 0, robustPasses = 0 } = options;
  const n = values.length;
  const trendWindow = options.trendWindow ?? nextOdd((1.5 * m) / (1 - 1.5 / seasonalWindow));
  const lowPassWindow = nextOdd(m + 1 - (m % 2));
  const jumpOf = (window: number): number =>
    n * window > MOST_WORK ? Math.max(1, Math.ceil(window / 10)) : 1;
  const passes = robustPasses > 0 ? ROBUST_INNER_PASSES : INNER_PASSES;
  const season = new Float64Array(n);
  let trend: Float64Array = new Float64Array(n);
  let robustness: Float64Array | null = null;
  for (let outer = 0; outer <= robustPasses; outer++) {
    for (let inner = 0; inner < passes; inner++) {
      const cycles = smoothCycles(values, trend, m, seasonalWindow, seasonalDegree, robustness);
      const passed = movingMean(movingMean(movingMean(cycles, m), m), 3);
      const low = loess(
        passed,
        { window: lowPassWindow, degree: 1, jump: jumpOf(lowPassWindow) },
        null,
      );
      for (let t = 0; t < n; t++) season[t] = cycles[m + t] - low[t];
      trend = loess(
        values.map((value, t) => value - season[t]),
        { window: trendWindow, degree: 1, jump: jumpOf(trendWindow) },
        robustness,
      );
    }
    if (outer < robustPasses) robustness = bisquare(values, season, trend);
  }
  const remainder = values.map((value, t) => value - season[t] - trend[t]);
  return { season, trend, remainder };
}

/** Each step of the season smoothed over the seasons, from one season before to one after the values. */
function smoothCycles(
  values: Float64Array,
  trend: Float64Array,
  m: number,
  window: number,
  degree: 0 | 1,
  robustness: Float64Array | null,
): Float64Array {
  const n = values.length;
  const cycles = new Float64Array(n + 2 * m);
  for (let step = 0; step < m; step++) {
    const count = Math.floor((n - step - 1) / m) + 1;
    const own = Float64Array.from({ length: count }, (_, i) => {
      const t = step + i * m;
      return values[t] - trend[t];
    });
    const weights =
      robustness === null
        ? null
        : Float64Array.from({ length: count }, (_, i) => robustness[step + i * m]);
    const smoothed = loess(own, { window, degree, jump: 1 }, weights, -1, count + 2);
    for (let i = 0; i < count + 2; i++) cycles[step + i * m] = smoothed[i];
  }
  return cycles;
}

function movingMean(values: Float64Array, length: number): Float64Array {
  const means = new Float64Array(values.length - length + 1);
  let sum = 0;
  for (let t = 0; t < values.length; t++) {
    sum += values[t];
    if (t >= length) sum -= values[t - length];
    if (t >= length - 1) means[t - length + 1] = sum / length;
  }
  return means;
}

/** Bisquare weights of the remainders, by six times their median size (sec. 2.4). */
function bisquare(values: Float64Array, season: Float64Array, trend: Float64Array): Float64Array {
  const sizes = values.map((value, t) => Math.abs(value - season[t] - trend[t]));
  const sorted = sizes.slice().sort();
  const half = sorted.length >> 1;
  const middle = sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  const most = 6 * middle;
  return sizes.map((size) => {
    if (size <= 0.001 * most) return 1;
    return size <= 0.999 * most ? (1 - (size / most) ** 2) ** 2 : 0;
  });
}

/** Variance of a list, over n. */
function variance(values: Float64Array): number {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  let sum = 0;
  for (const value of values) sum += (value - mean) ** 2 / values.length;
  return sum;
}

/**
 * How much of what is not trend is season, from 0 to 1: Wang, Smith & Hyndman, "Characteristic-based
 * clustering for time series data", Data Min. Knowl. Discov. 13, 2006.
 */
export function seasonalStrength({ season, remainder }: StlParts): number {
  const both = variance(remainder.map((value, t) => value + season[t]));
  return both > 0 ? Math.max(0, 1 - variance(remainder) / both) : 0;
}
