/** How far forecasts of a test window are off, as the M competitions measure it. */

import type { SeriesSet, TestedSeries } from "./series-sets.ts";

export interface ForecastScores {
  /**
   * Mean absolute error in units of the seasonal naive method's in the history (Hyndman & Koehler, Int. J.
   * Forecasting 22(4), 2006), mean over the series whose history changes at all.
   */
  readonly mase: number;
  /** 200 |y - f| / (|y| + |f|) in percent (Makridakis & Hibon 2000), mean over steps and series. */
  readonly smape: number;
}

export function scoreForecasts(
  { season, series }: SeriesSet,
  forecasts: readonly (readonly number[] | Float64Array)[],
): ForecastScores {
  let mase = 0;
  let scaled = 0;
  let smape = 0;
  series.forEach(({ history, future }, i) => {
    const unit = naiveError(history, season);
    let absolute = 0;
    for (let h = 0; h < future.length; h++) {
      const [y, f] = [future[h], forecasts[i][h]];
      const size = Math.abs(y) + Math.abs(f);
      absolute += Math.abs(y - f) / future.length;
      if (size > 0) smape += (200 * Math.abs(y - f)) / size / future.length / series.length;
    }
    if (unit > 0) {
      mase += absolute / unit;
      scaled++;
    }
  });
  return { mase: mase / scaled, smape };
}

function naiveError(history: TestedSeries["history"], season: number): number {
  let sum = 0;
  for (let t = season; t < history.length; t++) sum += Math.abs(history[t] - history[t - season]);
  return sum / (history.length - season);
}

/** The mean of several models' forecasts, step by step. */
export function meanForecasts(
  models: readonly (readonly (readonly number[] | Float64Array)[])[],
): Float64Array[] {
  return combine(models, (values) => values.reduce((sum, value) => sum + value) / values.length);
}

export function medianForecasts(
  models: readonly (readonly (readonly number[] | Float64Array)[])[],
): Float64Array[] {
  return combine(models, (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const half = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  });
}

function combine(
  models: readonly (readonly (readonly number[] | Float64Array)[])[],
  of: (values: readonly number[]) => number,
): Float64Array[] {
  return models[0].map((first, i) =>
    Float64Array.from(first, (_, h) => of(models.map((forecasts) => forecasts[i][h]))),
  );
}
