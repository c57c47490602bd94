/** The engine's models of one series, each with its counterpart in statsforecast. */

import { fitArima, loadArima } from "../../../engine/src/series/arima/arima-model.ts";
import {
  BASELINE_METHODS,
  fitBaseline,
  loadBaseline,
} from "../../../engine/src/series/baselines/baselines.ts";
import { fitNaive2, loadNaive2 } from "../../../engine/src/series/baselines/naive2.ts";
import {
  CROSTON_METHODS,
  fitCroston,
  loadCroston,
} from "../../../engine/src/series/croston/croston.ts";
import { ETS_CHOICES, fitEts, loadEts } from "../../../engine/src/series/ets/ets-model.ts";
import type { SeriesModel } from "../../../engine/src/series/series-model.ts";
import { fitMstl, loadMstl } from "../../../engine/src/series/stl/mstl-model.ts";
import { fitTheta, loadTheta, THETA_FORMS } from "../../../engine/src/series/theta/theta-model.ts";

export interface OurModel {
  readonly name: string;
  /** Of statsforecast; null = none. */
  readonly peer: string | null;
  /** Is it one of those whose mean and median are taken? */
  readonly inEnsemble: boolean;
  /** Does it, or its counterpart, take seconds a series? */
  readonly slow: boolean;
  fit(history: Float64Array, season: number): SeriesModel;
}

/** As a model is used once it was stored. */
function stored<Saved>(
  fitted: SeriesModel<Saved>,
  load: (saved: Saved) => SeriesModel<Saved>,
): SeriesModel<Saved> {
  const saved: Saved = JSON.parse(JSON.stringify(fitted.saved));
  return load(saved);
}

const THETA_PEERS: Readonly<Record<string, string>> = {
  standard: "Theta",
  optimised: "OptimizedTheta",
  dynamic_optimised: "DynamicOptimizedTheta",
};

const CROSTON_PEERS: Readonly<Record<string, string>> = {
  classic: "CrostonClassic",
  sba: "CrostonSBA",
  tsb: "TSB",
  adida: "ADIDA",
  imapa: "IMAPA",
};

const BASELINE_PEERS: Readonly<Record<string, string>> = { seasonal_naive: "SeasonalNaive" };

export const OUR_MODELS: readonly OurModel[] = [
  ...BASELINE_METHODS.map((method) => ({
    name: method,
    peer: BASELINE_PEERS[method] ?? null,
    inEnsemble: false,
    slow: false,
    fit: (history: Float64Array, seasonLength: number) =>
      stored(fitBaseline(history, { method, seasonLength }), loadBaseline),
  })),
  {
    name: "naive2",
    peer: null,
    inEnsemble: false,
    slow: false,
    fit: (history, seasonLength) => stored(fitNaive2(history, { seasonLength }), loadNaive2),
  },
  ...CROSTON_METHODS.map((method) => ({
    name: `croston, ${method}`,
    peer: CROSTON_PEERS[method] ?? null,
    inEnsemble: false,
    slow: false,
    fit: (history: Float64Array) => stored(fitCroston(history, { method }), loadCroston),
  })),
  ...THETA_FORMS.map((form) => ({
    name: `theta, ${form}`,
    peer: THETA_PEERS[form] ?? null,
    inEnsemble: form === "dynamic_optimised",
    slow: false,
    fit: (history: Float64Array, seasonLength: number) =>
      stored(fitTheta(history, { form, seasonLength }), loadTheta),
  })),
  ...ETS_CHOICES.map((choice) => ({
    name: `ets, ${choice}`,
    peer: "AutoETS",
    inEnsemble: choice === "weights",
    slow: false,
    fit: (history: Float64Array, seasonLength: number) =>
      stored(fitEts(history, { choice, seasonLength }), loadEts),
  })),
  {
    name: "mstl over ets",
    peer: "MSTL",
    inEnsemble: false,
    slow: false,
    fit: (history, season) => {
      const fitInner = (rest: Float64Array) => fitEts(rest, { seasonLength: 1 });
      const fitted = fitMstl(history, { seasonLengths: [season], fitInner });
      return stored(fitted, (saved: typeof fitted.saved) => loadMstl(saved, loadEts));
    },
  },
  {
    name: "arima",
    peer: "AutoARIMA",
    inEnsemble: true,
    slow: true,
    fit: (history, seasonLength) => stored(fitArima(history, { seasonLength }), loadArima),
  },
];
