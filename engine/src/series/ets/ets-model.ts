/**
 * Exponential smoothing in state space form with the form chosen by the corrected Akaike criterion:
 * Hyndman, Koehler, Snyder & Grose, "A state space framework for automatic forecasting using exponential
 * smoothing methods", Int. J. Forecasting 18(3), 2002; Hyndman et al. 2008, ch. 5 and 7. Or of all forms,
 * averaged by their Akaike weights: Kolassa, "Combining exponential smoothing forecasts using Akaike
 * weights", Int. J. Forecasting 27(2), 2011.
 */

import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";
import { isConstant, scaled, scaleOf, unscaled } from "../standardise.ts";
import { admissibleForms, type EtsForm, formName, parameterCount } from "./ets-form.ts";
import { type FittedForm, fitForm } from "./fit-form.ts";
import { writeInitialStates } from "./initial-states.ts";
import { ALPHA, filterEts, forecastEts, LEVEL, PHI, SEASON, Tape } from "./recursion.ts";
import { bearsOutTrend } from "./trend-check.ts";

export const ETS_CHOICES = ["best", "weights"] as const;
export type EtsChoice = (typeof ETS_CHOICES)[number];

export interface EtsOptions {
  /** Steps of a season; 1 = none. */
  readonly seasonLength: number;
  /** The form with the least criterion, or all by their weights. Default: weights. */
  readonly choice?: EtsChoice;
  /** The forms to choose among, of those that the series allows; default all stable ones. */
  readonly forms?: readonly EtsForm[];
  /** May trends be multiplicative? They explode easily. Default: no. */
  readonly multiplicativeTrend?: boolean;
}

export interface SavedEtsForm {
  readonly form: EtsForm;
  /** Its share in the forecast; shares sum to 1. */
  readonly weight: number;
  /** [alpha, beta, gamma, phi, level, slope, season(1 … m)], states of the scaled series. */
  readonly parameters: readonly number[];
}

export interface SavedEts {
  readonly seasonLength: number;
  /** What values are divided by. */
  readonly scale: number;
  readonly forms: readonly SavedEtsForm[];
  /** The first values fitted to: a history that begins so is filtered from the fitted states. */
  readonly beginning: readonly number[];
}

/** Values by which a history is known again. */
const BEGINNING = 8;
/** Forms with less of the weight are left out. */
const LEAST_WEIGHT = 0.01;

/** @throws RangeError where the history is empty or not finite */
export function fitEts(history: Float64Array, options: EtsOptions): SeriesModel<SavedEts> {
  const { seasonLength, choice = "weights" } = options;
  checkSeason(seasonLength);
  checkHistory(history);
  const scale = scaleOf(history);
  const values = scaled(history, scale);
  const fitted = fitForms(values, options);
  return loadEts({
    seasonLength,
    scale,
    forms: choice === "best" ? weigh(fitted.slice(0, 1)) : weigh(fitted),
    beginning: [...history.subarray(0, BEGINNING)],
  });
}

/** All forms that the values allow, the best first; at least one. */
function fitForms(values: Float64Array, options: EtsOptions): FittedForm[] {
  const { seasonLength, multiplicativeTrend = false } = options;
  const n = values.length;
  const fitted: FittedForm[] = [];
  if (!isConstant(values)) {
    const tape = new Tape(n, seasonLength);
    const positive = values.every((value) => value > 0);
    const seasonal = seasonLength > 1 && n >= 2 * seasonLength;
    const allowed = options.forms?.map(formName);
    for (const form of admissibleForms({ positive, seasonal, multiplicativeTrend })) {
      if (allowed !== undefined && !allowed.includes(formName(form))) continue;
      // The criterion needs more values than parameters; the variance is one of these.
      if (n < parameterCount(form, seasonLength) + 3) continue;
      // It begins where the same form with the other error type ended.
      const near = fitted.find((other) => sameMethod(other.form, form)) ?? null;
      const found = fitForm(values, form, seasonLength, tape, near);
      if (found !== null && bearsOutTrend(found, values, seasonLength, tape)) fitted.push(found);
    }
  }
  return fitted.length > 0 ? fitted.sort((a, b) => a.aicc - b.aicc) : [lastValue(values)];
}

const sameMethod = (a: EtsForm, b: EtsForm): boolean =>
  a.trend === b.trend && a.damped === b.damped && a.season === b.season;

/** Akaike weights of forms of which the first is the best. */
function weigh(fitted: readonly FittedForm[]): SavedEtsForm[] {
  const weights = fitted.map(({ aicc }) => Math.exp((fitted[0].aicc - aicc) / 2));
  const total = weights.reduce((sum, weight) => sum + weight);
  const kept = weights.map((weight) => (weight >= LEAST_WEIGHT * total ? weight : 0));
  const rest = kept.reduce((sum, weight) => sum + weight);
  return fitted.flatMap(({ form, parameters }, i) =>
    kept[i] > 0 ? [{ form, weight: kept[i] / rest, parameters: [...parameters] }] : [],
  );
}

/** For series that have nothing to fit. */
function lastValue(values: Float64Array): FittedForm {
  const parameters = new Float64Array(SEASON);
  parameters[ALPHA] = 1;
  parameters[PHI] = 1;
  parameters[LEVEL] = values[0];
  const form: EtsForm = { error: "A", trend: "N", damped: false, season: "N" };
  return { form, parameters, aicc: 0 };
}

export function loadEts(saved: SavedEts): SeriesModel<SavedEts> {
  const { seasonLength, scale } = saved;
  return {
    saved,
    forecast(history, horizon) {
      checkRequest(history, horizon);
      const values = scaled(history, scale);
      const tape = new Tape(values.length, seasonLength);
      const known = saved.beginning.every((value, t) => value === history[t]);
      const sum = new Float64Array(horizon);
      for (const member of saved.forms) {
        const forecasts = forecastForm(values, member, seasonLength, known, tape, horizon);
        for (let h = 0; h < horizon; h++) sum[h] += member.weight * forecasts[h];
      }
      return unscaled(sum, scale);
    },
  };
}

function forecastForm(
  values: Float64Array,
  { form, parameters: stored }: SavedEtsForm,
  seasonLength: number,
  known: boolean,
  tape: Tape,
  horizon: number,
): Float64Array {
  const parameters = Float64Array.from(stored);
  if (!known) writeInitialStates(values, form, seasonLength, parameters);
  let used = form;
  if (!filterEts(values, form, parameters, seasonLength, tape)) {
    // Values that the form cannot take, as a multiplicative one those below 0.
    used = additiveOf(form);
    writeInitialStates(values, used, seasonLength, parameters);
    filterEts(values, used, parameters, seasonLength, tape);
  }
  return forecastEts(used, parameters[PHI], seasonLength, values.length, tape, horizon);
}

function additiveOf({ trend, damped, season }: EtsForm): EtsForm {
  return {
    error: "A",
    trend: trend === "N" ? "N" : "A",
    damped,
    season: season === "N" ? "N" : "A",
  };
}
