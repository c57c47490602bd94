/**
 * How the places of a season differ: each value less the mean of the whole season around it (a centred
 * moving average, half of each end where the season is even), by place (classical decomposition;
 * Hyndman & Athanasopoulos, "Forecasting: Principles and Practice", §3.4).
 */

import { quantile } from "../../data/quantile.ts";

export interface SeasonalPlace {
  /** Means and quartiles of the differences. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

export interface SeasonedSeries {
  /** One a step, NaN where it is not known. */
  readonly values: Float64Array;
  /** What differences are divided by. */
  readonly unit: number;
  /** From 0. */
  placeOf(step: number): number;
}

/** @returns one a place; null where a place has no difference at all */
export function seasonalProfile(
  series: readonly SeasonedSeries[],
  season: number,
): readonly SeasonalPlace[] | null {
  const differences = Array.from({ length: season }, (): number[] => []);
  for (const { values, unit, placeOf } of series) {
    const level = levels(values, season);
    for (let t = 0; t < values.length; t++) {
      const difference = (values[t] - level[t]) / unit;
      if (Number.isFinite(difference)) differences[placeOf(t)].push(difference);
    }
  }
  if (differences.some(({ length }) => length === 0)) return null;
  return differences.map((own) => {
    const sorted = Float64Array.from(own).sort();
    return {
      mean: own.reduce((sum, each) => sum + each, 0) / own.length,
      low: quantile(sorted, 0.25),
      high: quantile(sorted, 0.75),
      count: own.length,
    };
  });
}

/** NaN where the season around a step is not known whole. */
function levels(values: Float64Array, season: number): Float64Array {
  const half = Math.floor(season / 2);
  const isEven = season % 2 === 0;
  const level = new Float64Array(values.length).fill(Number.NaN);
  for (let t = half; t + half < values.length; t++) {
    let sum = 0;
    for (let at = t - half; at <= t + half; at++) {
      const isEnd = at === t - half || at === t + half;
      sum += isEven && isEnd ? values[at] / 2 : values[at];
    }
    level[t] = sum / season;
  }
  return level;
}
