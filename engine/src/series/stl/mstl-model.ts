/**
 * Forecasts by decomposition with several seasons: MSTL takes them out one by one, a model of the caller's
 * choice forecasts the rest, and each season's last pattern is put back. Bandara, Hyndman & Bergmeir, "MSTL:
 * a seasonal-trend decomposition algorithm for time series with multiple seasonal patterns", Int. J.
 * Operational Research 52(1), 2025 (arXiv:2107.13462).
 */

import {
  adjusted,
  adjustmentFor,
  reseason,
  type SeasonalAdjustment,
} from "../seasonality/seasonal-adjustment.ts";
import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";
import { keptDifferences, scaled, scaleOf, unscaled } from "../standardise.ts";
import { decomposeStl } from "./stl.ts";

/** Passes over all seasons; one season needs one. */
const PASSES = 2;

/** The seasonal window of the k-th shortest season: 11, 15, 19, … */
const windowOf = (k: number): number => 11 + 4 * k;

export interface MstlParts {
  /** In the order of the lengths. */
  readonly seasons: readonly Float64Array[];
  readonly trend: Float64Array;
}

/** @param lengths of seasons, ascending, each at least 2 and in the values twice */
export function decomposeMstl(values: Float64Array, lengths: readonly number[]): MstlParts {
  const seasons: Float64Array[] = lengths.map(() => new Float64Array(values.length));
  let rest = values;
  let trend = values;
  for (let pass = 0; pass < (lengths.length > 1 ? PASSES : 1); pass++) {
    lengths.forEach((seasonLength, k) => {
      const before = seasons[k];
      const own = rest.map((value, t) => value + before[t]);
      const parts = decomposeStl(own, { seasonLength, seasonalWindow: windowOf(k) });
      seasons[k] = parts.season;
      trend = parts.trend;
      rest = own.map((value, t) => value - parts.season[t]);
    });
  }
  return { seasons, trend };
}

export interface SavedMstl<Inner> {
  readonly seasonLengths: readonly number[];
  /** What values are divided by. */
  readonly scale: number;
  /**
   * Of each season the indices of its last round, in units of the scale, that of the fit's first value (or a whole number of
   * rounds after it) first: for histories that do not hold the season twice. Former versions kept none.
   */
  readonly patterns?: readonly (readonly number[])[] | undefined;
  /** Of the series without its seasons. */
  readonly inner: Inner;
}

/** Significant digits of the indices that are kept. */
const DIGITS = 6;

export interface MstlOptions<Inner> {
  /** Those that the history does not hold twice are left out. */
  readonly seasonLengths: readonly number[];
  /** Fits what is left without the seasons. */
  readonly fitInner: (history: Float64Array) => SeriesModel<Inner>;
}

/** @throws RangeError where the history is empty or not finite */
export function fitMstl<Inner>(
  history: Float64Array,
  { seasonLengths, fitInner }: MstlOptions<Inner>,
): SeriesModel<SavedMstl<Inner>> {
  for (const length of seasonLengths) checkSeason(length);
  checkHistory(history);
  const scale = scaleOf(history);
  const values = scaled(history, scale);
  const lengths = [...new Set(seasonLengths)]
    .filter((length) => length > 1 && 2 * length <= values.length)
    .sort((a, b) => a - b);
  const { rest, seasons } = withoutSeasons(values, lengths);
  const inner = fitInner(rest);
  const patterns = seasons.map((season, k) => lastRound(season, lengths[k]));
  return modelOf({ seasonLengths: lengths, scale, patterns, inner: inner.saved }, inner);
}

export function loadMstl<Inner>(
  saved: SavedMstl<Inner>,
  loadInner: (saved: Inner) => SeriesModel<Inner>,
): SeriesModel<SavedMstl<Inner>> {
  return modelOf(saved, loadInner(saved.inner));
}

/** Of a season of so many steps. */
function lastRound(season: Float64Array, length: number): number[] {
  const round = new Array<number>(length).fill(0);
  for (let t = season.length - length; t < season.length; t++) {
    round[t % length] = Number(season[t].toPrecision(DIGITS));
  }
  return round;
}

function modelOf<Inner>(
  saved: SavedMstl<Inner>,
  inner: SeriesModel<Inner>,
): SeriesModel<SavedMstl<Inner>> {
  const { scale, seasonLengths, patterns = [] } = saved;
  return {
    saved,
    forecast(history, horizon, since) {
      checkRequest(history, horizon);
      const values = scaled(history, scale);
      // Seasons are states: of another history they are taken anew, as far as it holds them; the others are those of the fit.
      const lengths = seasonLengths.filter((length) => 2 * length <= values.length);
      const own = scaleOf(history);
      const size = keptDifferences(own, scale) * (own / scale);
      let left = values;
      const kept: SeasonalAdjustment[] = [];
      for (const indices of patterns.filter((round) => 2 * round.length > values.length)) {
        const season = { form: "additive" as const, indices: indices.map((index) => size * index) };
        kept.push(adjustmentFor(season, left, since));
        left = adjusted(left, kept[kept.length - 1]);
      }
      const { rest, seasons } = withoutSeasons(left, lengths);
      const forecasts = inner.forecast(rest, horizon, since);
      lengths.forEach((length, k) => {
        const start = values.length - length;
        for (let h = 0; h < horizon; h++) forecasts[h] += seasons[k][start + (h % length)];
      });
      for (const season of kept) reseason(forecasts, values.length, season);
      return unscaled(forecasts, scale);
    },
  };
}

function withoutSeasons(
  values: Float64Array,
  lengths: readonly number[],
): { rest: Float64Array; seasons: readonly Float64Array[] } {
  const { seasons } = decomposeMstl(values, lengths);
  const rest = values.map((value, t) => seasons.reduce((left, own) => left - own[t], value));
  return { rest, seasons };
}
