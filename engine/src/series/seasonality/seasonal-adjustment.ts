/**
 * Seasonal adjustment as the theta method and naive2 do it: where the test finds a season, classical
 * indices are taken out before forecasting and put back after it.
 */

import { isSeasonal } from "./autocorrelation.ts";
import { type SeasonalForm, seasonalIndices } from "./classical-decomposition.ts";

export interface SeasonalAdjustment {
  readonly form: SeasonalForm;
  /** Of the steps of a season from the first value of the history on. */
  readonly indices: readonly number[];
}

/** Multiplicative indices below it would blow up what they divide. */
const LEAST_INDEX = 0.01;

/**
 * The indices of a history that shows a season, or null. The multiplicative form is left for the
 * additive one where values or indices are not well above 0.
 */
export function fitAdjustment(
  history: Float64Array,
  seasonLength: number,
  preferred: SeasonalForm,
): SeasonalAdjustment | null {
  if (!isSeasonal(history, seasonLength)) return null;
  return indicesOf(history, seasonLength, preferred);
}

function indicesOf(
  history: Float64Array,
  seasonLength: number,
  preferred: SeasonalForm,
): SeasonalAdjustment {
  if (preferred === "multiplicative" && history.every((value) => value > 0)) {
    const indices = seasonalIndices(history, seasonLength, "multiplicative");
    if (indices.every((index) => index >= LEAST_INDEX)) {
      return { form: "multiplicative", indices: [...indices] };
    }
  }
  return { form: "additive", indices: [...seasonalIndices(history, seasonLength, "additive")] };
}

/**
 * The adjustment for another history of the series: its own indices in the same form where it has two
 * seasons, else the fitted ones, turned to the step of the season at which it begins, or seems to.
 *
 * @param since steps from the fitted history's first value to this one's; absent: not known
 */
export function adjustmentFor(
  fitted: SeasonalAdjustment,
  history: Float64Array,
  since?: number,
): SeasonalAdjustment {
  const m = fitted.indices.length;
  if (history.length >= 2 * m) return indicesOf(history, m, fitted.form);
  const { form, indices } = fitted;
  const turnedBy = (turn: number): SeasonalAdjustment => ({
    form,
    indices: indices.map((_, step) => indices[(step + turn) % m]),
  });
  if (since !== undefined) return turnedBy(((since % m) + m) % m);
  let best = fitted;
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < m; turn++) {
    const turned = turnedBy(turn);
    const spread = spreadOf(adjusted(history, turned));
    if (spread < least) [least, best] = [spread, turned];
  }
  return best;
}

/** Coefficient of variation: comparable between the turns of multiplicative indices. */
function spreadOf(values: Float64Array): number {
  let mean = 0;
  let size = 0;
  for (const value of values) {
    mean += value / values.length;
    size += Math.abs(value) / values.length;
  }
  let sum = 0;
  for (const value of values) sum += (value - mean) ** 2;
  return size > 0 ? sum / (size * size) : 0;
}

export function adjusted(
  history: Float64Array,
  { form, indices }: SeasonalAdjustment,
): Float64Array {
  const m = indices.length;
  return history.map((value, t) =>
    form === "additive" ? value - indices[t % m] : value / indices[t % m],
  );
}

/** Puts the season back into forecasts of the steps from `start` on, in place. */
export function reseason(
  forecasts: Float64Array,
  start: number,
  { form, indices }: SeasonalAdjustment,
): Float64Array {
  const m = indices.length;
  for (let h = 0; h < forecasts.length; h++) {
    const index = indices[(start + h) % m];
    forecasts[h] = form === "additive" ? forecasts[h] + index : forecasts[h] * index;
  }
  return forecasts;
}
