/**
 * Initial states by a rule (Hyndman et al. 2008, sec. 2.6.1): seasonal indices of the classical
 * decomposition, and a line through the first seasonally adjusted values. The search begins there, and
 * histories that begin elsewhere than the fitted one are filtered from there.
 */

import { seasonalIndices } from "../seasonality/classical-decomposition.ts";
import type { EtsForm } from "./ets-form.ts";
import { LEVEL, SEASON, SLOPE } from "./recursion.ts";

/** Least multiplicative index and level, of scaled series. */
const LEAST = 1e-2;

/**
 * Writes level, slope and season into `parameters` (layout: `recursion.ts`).
 *
 * @param values scaled; two seasons and more where the form has a season, else its states are neutral
 */
export function writeInitialStates(
  values: Float64Array,
  { error, trend, season }: EtsForm,
  seasonLength: number,
  parameters: Float64Array,
): void {
  const m = season === "N" ? 1 : seasonLength;
  let adjusted = values;
  if (season !== "N") {
    const multiplicative = season === "M";
    const indices =
      values.length >= 2 * m
        ? seasonalIndices(values, m, multiplicative ? "multiplicative" : "additive")
        : new Float64Array(m).fill(multiplicative ? 1 : 0);
    if (multiplicative) for (let j = 0; j < m; j++) indices[j] = Math.max(LEAST, indices[j]);
    parameters.set(indices, SEASON);
    adjusted = values.map((value, t) =>
      multiplicative ? value / indices[t % m] : value - indices[t % m],
    );
  }
  const first = adjusted.subarray(0, Math.max(10, 2 * m));
  const count = first.length;
  let mean = 0;
  let moment = 0;
  for (let t = 0; t < count; t++) {
    mean += first[t] / count;
    moment += (first[t] * (t + 1)) / count;
  }
  const slope = count > 1 ? (6 * (2 * moment - (count + 1) * mean)) / (count * count - 1) : 0;
  const intercept = mean - (slope * (count + 1)) / 2;
  const positive = error === "M" || season === "M" || trend === "M";
  if (trend === "N") {
    parameters[LEVEL] = mean;
    parameters[SLOPE] = 0;
  } else if (trend === "A") {
    // The first forecasts of a relative error must be above 0.
    const usable = !positive || (intercept > LEAST && intercept + slope > LEAST);
    parameters[LEVEL] = usable ? intercept : mean;
    parameters[SLOPE] = usable ? slope : 0;
  } else {
    const usable = intercept > LEAST && intercept + slope > LEAST;
    parameters[LEVEL] = usable ? intercept : mean;
    parameters[SLOPE] = usable ? Math.min(2, Math.max(0.5, (intercept + slope) / intercept)) : 1;
  }
}
