/**
 * Initial states by a rule (Hyndman et al. 2008, sec. 2.6.1): seasonal indices of the classical
 * decomposition, and a line through the first seasonally adjusted values. Searches begin there.
 */

import { seasonalIndices } from "../seasonality/classical-decomposition.ts";
import type { EtsForm } from "./ets-form.ts";
import { LEVEL, PHI, SEASON, SLOPE } from "./recursion.ts";

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
    adjusted = withoutSeason(values, season, indices);
  }
  const first = adjusted.subarray(0, firstOnes(m));
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

/** Values that the rule looks at, of a season of `m` steps. */
const firstOnes = (m: number): number => Math.max(10, 2 * m);

function withoutSeason(
  values: Float64Array,
  season: EtsForm["season"],
  indices: Float64Array,
): Float64Array {
  const m = indices.length;
  if (season === "N") return values;
  return values.map((value, t) =>
    season === "M" ? value / indices[t % m] : value - indices[t % m],
  );
}

/**
 * The level before the first value that goes with the slope and season in `parameters`.
 *
 * @param values scaled, at least one
 */
export function matchedLevel(
  values: Float64Array,
  { trend, season }: EtsForm,
  seasonLength: number,
  parameters: Float64Array,
): number {
  const m = season === "N" ? 1 : seasonLength;
  const indices = parameters.subarray(SEASON, SEASON + m);
  const first = withoutSeason(values, season, indices).subarray(0, firstOnes(m));
  const [phi, slope] = [parameters[PHI], parameters[SLOPE]];
  let [mean, reach, power] = [0, 0, 1];
  for (const value of first) {
    power *= phi;
    reach += power;
    const before =
      trend === "N" ? value : trend === "A" ? value - reach * slope : value / slope ** reach;
    mean += before / first.length;
  }
  return mean;
}
