/** A check of fitted trends by the history as a whole. */

import type { FittedForm } from "./fit-form.ts";
import { filterEts, type Tape } from "./recursion.ts";

/** Standard errors by which the last slope may differ from the mean change of the level. */
const MOST_DRIFT = 2;

/**
 * Does the history bear out the slope with which an undamped additive trend goes on? Where relative
 * errors are large, their likelihood is greatest at a slope that the errors take back at every step, and
 * forecasts run away.
 */
export function bearsOutTrend(
  { form, parameters }: FittedForm,
  values: Float64Array,
  seasonLength: number,
  tape: Tape,
): boolean {
  if (form.trend !== "A" || form.damped) return true;
  if (!filterEts(values, form, parameters, seasonLength, tape)) return false;
  const n = values.length;
  const { levels, slopes } = tape;
  const mean = (levels[n] - levels[0]) / n;
  let squares = 0;
  for (let t = 0; t < n; t++) squares += (levels[t + 1] - levels[t] - mean) ** 2;
  // A straight line has no errors: there rounding decides nothing.
  const slack = 1e-6 * Math.abs(mean);
  return Math.abs(slopes[n] - mean) <= (MOST_DRIFT * Math.sqrt(squares)) / n + slack;
}
