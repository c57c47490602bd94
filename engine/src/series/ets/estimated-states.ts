/**
 * Initial states of a history that does not begin where the fit did, by least squares over all of it with the
 * smoothing fitted before: additive forms are linear in these states (Hyndman et al. 2008, sec. 2.6 and ch. 5; Ord, Koehler &
 * Snyder, "Estimation and prediction for a class of dynamic nonlinear statistical models", J. Amer. Stat. Assoc. 92(440),
 * 1997), the others nearly so. A rule of thumb would do where smoothing corrects it; a level that hardly moves never does.
 *
 * What a short history does not tell is taken from the fit, as if by observations more: its slope, and its season as a
 * pattern of any size, turned to the step of the season at which the history begins.
 */

import { minimiseBfgs } from "../optimise/bfgs.ts";
import type { EtsForm } from "./ets-form.ts";
import { matchedLevel, writeInitialStates } from "./initial-states.ts";
import { filterEts, gradientOf, LEVEL, lossOf, SEASON, SLOPE, type Tape } from "./recursion.ts";

/** Observations that what was fitted counts for. */
export interface StatePriors {
  readonly slope: number;
  /** Each step's index in the season; and the size of all of them together. */
  readonly season: number;
  readonly size: number;
}

/** Wandering levels tell little of a slope in few steps. */
const PRIORS: StatePriors = { slope: 10, season: 1, size: 1 };

/**
 * Writes level, slope and season into `parameters`, in which are those of the fit (layout: `recursion.ts`), in units
 * of the values.
 *
 * @param values scaled by their own scale
 * @param since steps from the fit's first value to the history's; undefined: told by the season itself
 * @returns false where the values cannot be of that form
 */
export function writeEstimatedStates(
  values: Float64Array,
  form: EtsForm,
  seasonLength: number,
  parameters: Float64Array,
  tape: Tape,
  since: number | undefined,
  priors: StatePriors = PRIORS,
): boolean {
  const n = values.length;
  const m = form.season === "N" ? 0 : seasonLength;
  turnSeason(values, form, m, parameters, since);
  const centre = parameters.slice();
  const prior = new Prior(form, m, centre, priors);
  const states = [
    LEVEL,
    ...(form.trend === "N" ? [] : [SLOPE]),
    ...Array.from({ length: m }, (_, j) => SEASON + j),
  ];
  const gradient = new Float64Array(SEASON + m);
  // The log of the mean square of errors (of the geometric mean's size where they are relative), the prior's among them.
  const loss = (): number => {
    if (!filterEts(values, form, parameters, seasonLength, tape)) return Number.POSITIVE_INFINITY;
    return Math.log(Math.exp(lossOf(values, form, tape)) + prior.squares(parameters) / n);
  };

  parameters[LEVEL] = matchedLevel(values, form, seasonLength, parameters);
  const matched = parameters.slice();
  let start = loss();
  if (n >= 2 * Math.max(1, m)) {
    writeInitialStates(values, form, seasonLength, parameters);
    const ruled = loss();
    if (ruled < start) start = ruled;
    else parameters.set(matched);
  }
  if (!Number.isFinite(start)) return false;

  const unit = Math.max(1e-6, Math.min(1, Math.exp(start / 2)));
  const read = (x: Float64Array): void => {
    for (const [i, which] of states.entries()) parameters[which] = unit * x[i];
  };
  const objective = (x: Float64Array, slopes: Float64Array): number => {
    read(x);
    const value = loss();
    if (!Number.isFinite(value)) return Number.POSITIVE_INFINITY;
    const own = Math.exp(lossOf(values, form, tape) - value);
    gradientOf(values, form, parameters, seasonLength, tape, gradient);
    const ofPrior = prior.gradient(parameters);
    const share = Math.exp(-value) / n;
    for (const [i, which] of states.entries()) {
      slopes[i] = unit * (own * gradient[which] + share * ofPrior[which]);
    }
    return value;
  };
  const { x } = minimiseBfgs(
    objective,
    Float64Array.from(states, (which) => parameters[which] / unit),
    { maxIterations: 200, tolerance: 1e-8 / n, firstStep: 1 },
  );
  read(x);
  return filterEts(values, form, parameters, seasonLength, tape);
}

/** How far states are from those of the fit, in squares of observations' errors. */
class Prior {
  readonly #slope: number | null;
  /** The season less what is neutral. */
  readonly #pattern: Float64Array;
  readonly #neutral: number;
  readonly #energy: number;
  readonly #weights: StatePriors;

  constructor({ trend, season }: EtsForm, m: number, centre: Float64Array, weights: StatePriors) {
    this.#weights = weights;
    this.#slope = trend === "N" ? null : centre[SLOPE];
    this.#neutral = season === "M" ? 1 : 0;
    this.#pattern = centre.slice(SEASON, SEASON + m).map((index) => index - this.#neutral);
    this.#energy = this.#pattern.reduce((sum, index) => sum + index * index, 0);
  }

  /** The size of the pattern that is nearest to these states. */
  #sizeOf(parameters: Float64Array): number {
    const { season, size } = this.#weights;
    const own = (size * this.#energy) / this.#pattern.length;
    if (!(own > 0)) return 1;
    let product = 0;
    for (const [j, index] of this.#pattern.entries()) {
      product += index * (parameters[SEASON + j] - this.#neutral);
    }
    return (season * product + own) / (season * this.#energy + own);
  }

  squares(parameters: Float64Array): number {
    const size = this.#sizeOf(parameters);
    let sum = 0;
    if (this.#slope !== null) sum += this.#weights.slope * (parameters[SLOPE] - this.#slope) ** 2;
    for (const [j, index] of this.#pattern.entries()) {
      sum += this.#weights.season * (parameters[SEASON + j] - this.#neutral - size * index) ** 2;
    }
    if (this.#energy > 0)
      sum += (this.#weights.size * this.#energy * (size - 1) ** 2) / this.#pattern.length;
    return sum;
  }

  /** The size is at its best, so that its own derivative is 0. */
  gradient(parameters: Float64Array): Float64Array {
    const gradient = new Float64Array(parameters.length);
    const size = this.#sizeOf(parameters);
    if (this.#slope !== null)
      gradient[SLOPE] = 2 * this.#weights.slope * (parameters[SLOPE] - this.#slope);
    for (const [j, index] of this.#pattern.entries()) {
      const left = parameters[SEASON + j] - this.#neutral - size * index;
      gradient[SEASON + j] = 2 * this.#weights.season * left;
    }
    return gradient;
  }
}

/** Turns the season in place; where nobody says how far, to where the adjusted values change least from step to step. */
function turnSeason(
  values: Float64Array,
  { season }: EtsForm,
  m: number,
  parameters: Float64Array,
  since: number | undefined,
): void {
  if (m < 2) return;
  const fitted = parameters.slice(SEASON, SEASON + m);
  const turn = since ?? bestTurn(values, fitted, season === "M");
  for (let j = 0; j < m; j++) parameters[SEASON + j] = fitted[(((j + turn) % m) + m) % m];
}

function bestTurn(values: Float64Array, season: Float64Array, isRelative: boolean): number {
  const m = season.length;
  // Seasons change on the way, and the first ones tell enough.
  const count = Math.min(values.length, 3 * m);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < m; turn++) {
    const adjusted = (t: number): number => {
      const index = season[(t + turn) % m];
      return isRelative ? values[t] / index : values[t] - index;
    };
    let sum = 0;
    for (let t = 1; t < count; t++) sum += (adjusted(t) - adjusted(t - 1)) ** 2;
    if (sum < least) [best, least] = [turn, sum];
  }
  return best;
}
