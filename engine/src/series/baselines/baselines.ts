/**
 * The simple methods that every other one is measured against: the last value, the last season, a line
 * through both ends, and averages of past seasons. Hyndman & Athanasopoulos, "Forecasting: principles
 * and practice", 3rd ed., sec. 5.2.
 */

import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";

export const BASELINE_METHODS = ["naive", "drift", "seasonal_naive", "window_average"] as const;
export type BaselineMethod = (typeof BASELINE_METHODS)[number];

export interface SavedBaseline {
  readonly method: BaselineMethod;
  readonly seasonLength: number;
  /** Seasons that `window_average` averages; 1 is the seasonal naive method. */
  readonly seasons: number;
}

export interface BaselineOptions {
  /** Default: seasonal_naive. */
  readonly method?: BaselineMethod;
  /** Steps of a season; 1 = none. */
  readonly seasonLength: number;
  /** Of `window_average`; default 2. */
  readonly seasons?: number;
}

/**
 * Of several seasons that of which the history repeats the last one best, by the mean absolute difference over the steps that
 * have one of each; seasons that it does not hold are left out. 1 of none.
 *
 * @param lengths ascending
 */
export function bestRepeated(history: Float64Array, lengths: readonly number[]): number {
  const held = lengths.filter((length) => length < history.length);
  const longest = held.at(-1);
  if (longest === undefined) return lengths.at(-1) ?? 1;
  const differences = held.map((length) => {
    let sum = 0;
    for (let t = longest; t < history.length; t++) {
      sum += Math.abs(history[t] - history[t - length]);
    }
    return sum;
  });
  // The longer of two that are as good: it holds the shorter one.
  return held[differences.lastIndexOf(Math.min(...differences))];
}

/** @throws RangeError where the history is empty or not finite */
export function fitBaseline(
  history: Float64Array,
  options: BaselineOptions,
): SeriesModel<SavedBaseline> {
  const { method = "seasonal_naive", seasonLength, seasons = 2 } = options;
  checkSeason(seasonLength);
  checkSeason(seasons);
  checkHistory(history);
  return loadBaseline({ method, seasonLength, seasons });
}

export function loadBaseline(saved: SavedBaseline): SeriesModel<SavedBaseline> {
  const { method, seasonLength } = saved;
  const seasons = method === "window_average" ? saved.seasons : 1;
  return {
    saved,
    forecast(history, horizon) {
      checkRequest(history, horizon);
      const last = history[history.length - 1];
      switch (method) {
        case "naive":
          return new Float64Array(horizon).fill(last);
        case "drift":
          return Float64Array.from({ length: horizon }, (_, h) => last + (h + 1) * drift(history));
        default:
          return repeatSeason(seasonMeans(history, seasonLength, seasons), horizon);
      }
    },
  };
}

/** Mean change from one value to the next. */
function drift(history: Float64Array): number {
  const n = history.length;
  return n > 1 ? history[n - 1] / (n - 1) - history[0] / (n - 1) : 0;
}

/**
 * The mean over the last `seasons` seasons at each of the season's steps, that of the next step first.
 * Steps that a history shorter than a season does not hold take its last value.
 */
function seasonMeans(history: Float64Array, seasonLength: number, seasons: number): Float64Array {
  const n = history.length;
  return Float64Array.from({ length: seasonLength }, (_, step) => {
    let mean = 0;
    let count = 0;
    for (let back = 1; back <= seasons; back++) {
      const at = n - back * seasonLength + step;
      if (at < 0) break;
      count++;
      mean += (history[at] - mean) / count;
    }
    return count > 0 ? mean : history[n - 1];
  });
}

function repeatSeason(season: Float64Array, horizon: number): Float64Array {
  return Float64Array.from({ length: horizon }, (_, h) => season[h % season.length]);
}
