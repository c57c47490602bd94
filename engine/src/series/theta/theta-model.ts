/**
 * The theta method: the standard theta model (STM), the optimised one (OTM), and their dynamic forms
 * (DSTM, DOTM), on the seasonally adjusted series.
 *
 * Fiorucci, Pellegrini, Louzada, Petropoulos & Koehler, "Models for optimising the theta method and
 * their relationship to state space models", Int. J. Forecasting 32(4), 2016, sec. 2 and 3; seasonal
 * adjustment as in sec. 4. The standard model with theta = 2 is the method of Assimakopoulos &
 * Nikolopoulos (2000) that won the M3 competition.
 */

import { minimiseScalar } from "../optimise/scalar-minimum.ts";
import type { SeasonalForm } from "../seasonality/classical-decomposition.ts";
import {
  adjusted,
  adjustmentFor,
  fitAdjustment,
  reseason,
  type SeasonalAdjustment,
} from "../seasonality/seasonal-adjustment.ts";
import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";
import { isConstant, scaled, scaleOf } from "../standardise.ts";
import { extendTheta, fitAtAlpha, lineHistory, SKIPPED, type ThetaKind } from "./theta-lines.ts";

export const THETA_FORMS = [
  "standard",
  "optimised",
  "dynamic_standard",
  "dynamic_optimised",
] as const;
export type ThetaForm = (typeof THETA_FORMS)[number];

const KINDS: Readonly<Record<ThetaForm, ThetaKind>> = {
  standard: { dynamic: false, omega: 0.5 },
  optimised: { dynamic: false, omega: null },
  dynamic_standard: { dynamic: true, omega: 0.5 },
  dynamic_optimised: { dynamic: true, omega: null },
};

export interface ThetaOptions {
  /** Steps of a season; 1 = none. */
  readonly seasonLength: number;
  /** Default: dynamic_optimised. */
  readonly form?: ThetaForm;
  /** Of the season, where the series allows it. Default: multiplicative. */
  readonly decomposition?: SeasonalForm;
}

export interface SavedTheta {
  readonly form: ThetaForm;
  /** Null where the series shows no season. */
  readonly season: SeasonalAdjustment | null;
  /** Smoothing of the level, in (0, 1]. */
  readonly alpha: number;
  /** 1 - 1/theta, from 0 to 1: how much of the line's slope goes into the forecast. */
  readonly omega: number;
}

/**
 * The bounds of Fiorucci et al. and of their package forecTheta. Of several minima that with the most
 * weight on recent values forecasts best, so the walk begins at the upper end.
 */
const ALPHA = { low: 0.1, high: 0.99, start: 0.95, step: 0.05, tolerance: 1e-4 };

/** @throws RangeError where the history is empty or not finite */
export function fitTheta(history: Float64Array, options: ThetaOptions): SeriesModel<SavedTheta> {
  const { seasonLength, form = "dynamic_optimised", decomposition = "multiplicative" } = options;
  checkSeason(seasonLength);
  checkHistory(history);
  const season = fitAdjustment(history, seasonLength, decomposition);
  const plain = season === null ? history : adjusted(history, season);
  const values = scaled(plain, scaleOf(plain));
  const kind = KINDS[form];
  if (values.length <= SKIPPED + 1 || isConstant(values)) {
    // Too short for a line, or nothing to fit: the last value.
    return loadTheta({ form, season, alpha: 1, omega: 0 });
  }
  const lines = lineHistory(values, kind.dynamic);
  const alpha = minimiseScalar((at) => fitAtAlpha(values, lines, at, kind.omega).error, ALPHA);
  const { omega } = fitAtAlpha(values, lines, alpha, kind.omega);
  return loadTheta({ form, season, alpha, omega });
}

export function loadTheta(saved: SavedTheta): SeriesModel<SavedTheta> {
  return {
    saved,
    forecast(history, horizon, since) {
      checkRequest(history, horizon);
      const season = saved.season === null ? null : adjustmentFor(saved.season, history, since);
      const plain = season === null ? history : adjusted(history, season);
      const scale = scaleOf(plain);
      const values = scaled(plain, scale);
      const { alpha, omega, form } = saved;
      const { dynamic } = KINDS[form];
      // The initial level is the best for this history: it is a state, not one of the parameters.
      const initialLevel =
        alpha < 1
          ? fitAtAlpha(values, lineHistory(values, dynamic), alpha, omega).initialLevel
          : values[0];
      const state = { dynamic, alpha, omega, initialLevel };
      const forecasts = extendTheta(values, horizon, state).map((value) => value * scale);
      return season === null ? forecasts : reseason(forecasts, history.length, season);
    },
  };
}
