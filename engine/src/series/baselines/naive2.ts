/**
 * The naive2 method, against which the M competitions measure by OWA: the last value of the seasonally
 * adjusted series, with the season put back. Makridakis, Spiliotis & Assimakopoulos, "The M4 competition",
 * Int. J. Forecasting 36(1), 2020, sec. 2.
 */

import {
  adjusted,
  adjustmentFor,
  fitAdjustment,
  reseason,
  type SeasonalAdjustment,
} from "../seasonality/seasonal-adjustment.ts";
import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";
import { scaled, scaleOf, unscaled } from "../standardise.ts";

export interface SavedNaive2 {
  readonly scale: number;
  /** Null where the series shows no season; additive indices are of the scaled series. */
  readonly season: SeasonalAdjustment | null;
}

/** @throws RangeError where the history is empty or not finite */
export function fitNaive2(
  history: Float64Array,
  { seasonLength }: { readonly seasonLength: number },
): SeriesModel<SavedNaive2> {
  checkSeason(seasonLength);
  checkHistory(history);
  const scale = scaleOf(history);
  const season = fitAdjustment(scaled(history, scale), seasonLength, "multiplicative");
  return loadNaive2({ scale, season });
}

export function loadNaive2(saved: SavedNaive2): SeriesModel<SavedNaive2> {
  const { scale } = saved;
  return {
    saved,
    forecast(history, horizon, since) {
      checkRequest(history, horizon);
      const values = scaled(history, scale);
      const season = saved.season === null ? null : adjustmentFor(saved.season, values, since);
      const plain = season === null ? values : adjusted(values, season);
      const forecasts = new Float64Array(horizon).fill(plain[plain.length - 1]);
      if (season !== null) reseason(forecasts, values.length, season);
      return unscaled(forecasts, scale);
    },
  };
}
