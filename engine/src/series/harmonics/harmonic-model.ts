/** Forecasts with a long season of waves: they are taken out, another model forecasts the rest, and they are put back. */

import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";
import { isConstant, keptDifferences, scaled, scaleOf, unscaled } from "../standardise.ts";
import { fitHarmonics, harmonicAt } from "./harmonic-regression.ts";

/** Of the long season in a history, from which on it is told from a trend. */
export const LEAST_PERIODS = 1.5;

export interface SavedHarmonic<Inner> {
  /** Steps of the long season, whole or not. */
  readonly period: number;
  /** What values are divided by. */
  readonly scale: number;
  /** Of waves from the fit's first value on, in units of the scale; see `FittedHarmonics`. */
  readonly coefficients: readonly number[];
  /** Of the series without its waves. */
  readonly inner: Inner;
}

export interface HarmonicModelOptions<Inner> {
  readonly period: number;
  /** Steps of a shorter season; 1 = none. */
  readonly seasonLength: number;
  /** Fits what is left without the waves. */
  readonly fitInner: (history: Float64Array) => SeriesModel<Inner>;
}

/** Significant digits of the coefficients that are kept. */
const DIGITS = 9;

/** @throws RangeError where the history is empty or not finite */
export function fitHarmonic<Inner>(
  history: Float64Array,
  { period, seasonLength, fitInner }: HarmonicModelOptions<Inner>,
): SeriesModel<SavedHarmonic<Inner>> {
  checkSeason(seasonLength);
  checkHistory(history);
  const scale = scaleOf(history);
  const values = scaled(history, scale);
  const isShown = values.length >= LEAST_PERIODS * period && !isConstant(values);
  const coefficients = (
    isShown ? fitHarmonics(values, { period, seasonLength }).coefficients : []
  ).map((each) => Number(each.toPrecision(DIGITS)));
  const inner = fitInner(values.map((value, t) => value - harmonicAt(coefficients, period, t)));
  return modelOf({ period, scale, coefficients, inner: inner.saved }, inner);
}

export function loadHarmonic<Inner>(
  saved: SavedHarmonic<Inner>,
  loadInner: (saved: Inner) => SeriesModel<Inner>,
): SeriesModel<SavedHarmonic<Inner>> {
  return modelOf(saved, loadInner(saved.inner));
}

function modelOf<Inner>(
  saved: SavedHarmonic<Inner>,
  inner: SeriesModel<Inner>,
): SeriesModel<SavedHarmonic<Inner>> {
  const { period, scale, coefficients } = saved;
  return {
    saved,
    forecast(history, horizon, since) {
      checkRequest(history, horizon);
      const own = scaleOf(history);
      const size = keptDifferences(own, scale) * (own / scale);
      const first = since ?? 0;
      const wave = (t: number): number => size * harmonicAt(coefficients, period, first + t);
      const rest = scaled(history, scale).map((value, t) => value - wave(t));
      const forecasts = inner.forecast(rest, horizon, since);
      return unscaled(
        forecasts.map((value, h) => value + wave(history.length + h)),
        scale,
      );
    },
  };
}
