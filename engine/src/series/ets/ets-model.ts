/**
 * Exponential smoothing in state space form with the form chosen by the corrected Akaike criterion:
 * Hyndman, Koehler, Snyder & Grose, "A state space framework for automatic forecasting using exponential
 * smoothing methods", Int. J. Forecasting 18(3), 2002; Hyndman et al. 2008, ch. 5 and 7. Or of all forms,
 * averaged by their Akaike weights: Kolassa, "Combining exponential smoothing forecasts using Akaike
 * weights", Int. J. Forecasting 27(2), 2011.
 */

import { checkHistory, checkRequest, checkSeason, type SeriesModel } from "../series-model.ts";
import { isConstant, keptDifferences, scaled, scaleOf, unscaled } from "../standardise.ts";
import { writeEstimatedStates } from "./estimated-states.ts";
import { admissibleForms, type EtsForm, formName, parameterCount } from "./ets-form.ts";
import { type FittedForm, fitForm } from "./fit-form.ts";
import { ALPHA, filterEts, forecastEts, LEVEL, PHI, SEASON, SLOPE, Tape } from "./recursion.ts";
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
  /** The first values fitted to: a history that begins so is filtered from the fitted states, others from estimated ones. */
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
  const { seasonLength } = saved;
  return {
    saved,
    forecast(history, horizon, since) {
      checkRequest(history, horizon);
      // A beginning that is constant may come again later.
      const known = (since ?? 0) === 0 && saved.beginning.every((value, t) => value === history[t]);
      const scale = known ? saved.scale : scaleOf(history);
      const values = scaled(history, scale);
      const tape = new Tape(values.length, seasonLength);
      const sum = new Float64Array(horizon);
      for (const member of saved.forms) {
        const parameters = Float64Array.from(member.parameters);
        let { form } = member;
        if (!known || !filterEts(values, form, parameters, seasonLength, tape)) {
          const size = keptDifferences(scale, saved.scale);
          form = estimatedForm(values, form, seasonLength, parameters, tape, { since, size });
        }
        const n = values.length;
        const forecasts = forecastEts(form, parameters[PHI], seasonLength, n, tape, horizon);
        for (let h = 0; h < horizon; h++) sum[h] += member.weight * forecasts[h];
      }
      return unscaled(sum, scale);
    },
  };
}

/**
 * From states that are estimated.
 *
 * @param size of slopes and seasons in the history's scale
 * @returns the form whose states are on the tape
 */
function estimatedForm(
  values: Float64Array,
  form: EtsForm,
  seasonLength: number,
  parameters: Float64Array,
  tape: Tape,
  { since, size }: { readonly since: number | undefined; readonly size: number },
): EtsForm {
  if (form.trend === "A") parameters[SLOPE] *= size;
  if (form.season === "A") for (let j = SEASON; j < parameters.length; j++) parameters[j] *= size;
  const fitted = parameters.slice();
  if (writeEstimatedStates(values, form, seasonLength, parameters, tape, since)) return form;
  // Values that the form cannot take, as a multiplicative one those below 0.
  const used = additiveOf(form);
  parameters.set(fitted);
  // Ratios as differences of values of a size of 1.
  if (form.trend === "M") parameters[SLOPE]--;
  if (form.season === "M") for (let j = SEASON; j < parameters.length; j++) parameters[j]--;
  writeEstimatedStates(values, used, seasonLength, parameters, tape, since);
  return used;
}

function additiveOf({ trend, damped, season }: EtsForm): EtsForm {
  return {
    error: "A",
    trend: trend === "N" ? "N" : "A",
    damped,
    season: season === "N" ? "N" : "A",
  };
}
