/**
 * What the errors of forecasts are mostly like, in the scale of the series' recent past (`recentScaleOf`): what there is to
 * go by where a backtest has few windows. Three windows of a single series say hardly anything of how large the errors of
 * the next one are: the luck of those windows, and of the choice of the model by them, is as large as series differ. So
 * sizes are drawn to the usual one, as an empirical Bayes estimate of a scale is (Efron & Morris 1973), and the law of the
 * errors to Student's t, by as many errors as theirs are worth. The figures are those of 225 backtests of real series
 * (docs/decisions/forecasting.md).
 */

import { designEffect } from "./alike.ts";
import { ScoreDistribution } from "./score-distribution.ts";

/** Of forecasts as long as a season, over the mean change a season apart. */
const USUAL_SIZE = 0.677;
/** Of forecasts that are so many seasons long, the power of that number. */
const SIZE_POWER = 0.43;
/** Errors that the usual size, and the usual law, are worth. */
const ERRORS_OF_SIZE = 15;
const ERRORS_OF_LAW = 20;
/** By so much the usual law is wider than that of errors of a known size: the size that is told is itself an estimate. */
const WIDER = 1.15;
/** Below, in units of the usual size, errors say that a series is forecast exactly, and no longer how much more exactly. */
const LEAST_SIZE = 1e-3;
/** How much alike the errors of several series in one window are taken to be, of which one window says nothing. */
const ALIKE_IN_WINDOW = 0.05;

/** The lengths that the usual errors depend on. */
export interface ErrorScope {
  /** Steps that are forecast. */
  readonly horizon: number;
  /** Steps of the shortest season; 1: none. */
  readonly season: number;
}

export interface ErrorsToCount {
  /** Non-negative, one a row; null = all 1. */
  readonly weights: Float64Array | null;
  readonly step: Uint32Array;
  readonly window: Uint32Array;
}

/** Errors by size, and how many of them, each for itself, would say as much of the next window as all do. */
export function sizesOf(
  ratios: Float64Array,
  { weights, step, window }: ErrorsToCount,
): { readonly sizes: ScoreDistribution; readonly worth: number } {
  const isOne = window.every((each) => each === window[0]);
  const groups = isOne ? forecastsOf(step) : window;
  const sizes = ratios.map(Math.abs);
  let effect = 1;
  const distribution = new ScoreDistribution(sizes, weights, (ascending) => {
    effect = designEffect(sizes, ascending, groups);
    return 1;
  });
  const worth = distribution.effectiveSize / effect;
  return {
    sizes: distribution,
    worth: isOne ? worth / (1 + Math.max(0, worth - 1) * ALIKE_IN_WINDOW) : worth,
  };
}

/** Numbers of the forecasts that rows are of, which ascend by step within each. */
function forecastsOf(step: Uint32Array): Uint32Array {
  let forecast = 0;
  return step.map((each, row) => {
    if (row > 0 && each <= step[row - 1]) forecast++;
    return forecast;
  });
}

/** @param mean positive, of the sizes of errors that are worth so many @returns that of errors to come */
export function likelySize(mean: number, worth: number, { horizon, season }: ErrorScope): number {
  const usual = USUAL_SIZE * (horizon / season) ** SIZE_POWER;
  const share = worth / (worth + ERRORS_OF_SIZE);
  return usual * Math.max(LEAST_SIZE, mean / usual) ** share;
}

/** @param told quantile of errors of a mean size of 1; null: too few tell it @returns the same of errors to come */
export function likelyQuantile(told: number | null, level: number, worth: number): number {
  const usual = WIDER * Math.sqrt(1 + 1 / worth) * studentOfFour(level);
  const share = told === null ? 0 : worth / (worth + ERRORS_OF_LAW);
  return share * (told ?? 0) + (1 - share) * usual;
}

/** The quantile of Student's t with 4 degrees of freedom (Shaw 2006), since windows have sizes of their own; |t| has a mean of 1. */
function studentOfFour(level: number): number {
  const root = Math.sqrt(4 * level * (1 - level));
  const size = 2 * Math.sqrt(Math.max(0, Math.cos(Math.acos(root) / 3) / root - 1));
  return level < 0.5 ? 0 - size : size;
}
