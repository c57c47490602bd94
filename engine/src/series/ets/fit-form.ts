/**
 * The maximum of one form's posterior over smoothing parameters and initial states together (the likelihood
 * of Hyndman et al. 2008, sec. 5.2, and a weak prior), by BFGS with exact gradients instead of the simplex method, which takes thousands
 * of runs over the series where a season has many states.
 *
 * The search moves in numbers without bounds: alpha, beta / alpha, gamma / (1 - alpha) and phi are
 * logistic functions of them, within the usual bounds.
 */

import { minimiseBfgs } from "../optimise/bfgs.ts";
import { type EtsForm, parameterCount } from "./ets-form.ts";
import { writeInitialStates } from "./initial-states.ts";
import {
  ALPHA,
  BETA,
  filterEts,
  GAMMA,
  gradientOf,
  LEVEL,
  lossOf,
  PHI,
  SEASON,
  SLOPE,
  type Tape,
} from "./recursion.ts";

const LEAST_ALPHA = 1e-4;
const ALPHA_RANGE = 1 - 2e-4;
/** Damping below it dies at once, above it cannot be told from none. */
const LEAST_PHI = 0.8;
const PHI_RANGE = 0.18;
const START_PHI = 0.95;

/**
 * Where the search may begin: the best of all combinations. A season's form begins with a slow level as
 * in forecast::ets (0.2 / m): of several maxima of the likelihood that one forecasts best, since a fast
 * level follows what is the season's.
 */
const START_ALPHAS = [0.02, 0.1, 0.3, 0.6, 0.9];
const SLOW_LEVEL = 0.2;
const START_SHARES = [0.02, 0.2];

/**
 * Weakly informative priors of beta / alpha and gamma / (1 - alpha): the density of Beta(1, 1 + weight).
 * The likelihood of a short series is often greatest where the slope follows every error, which
 * forecasts badly.
 */
export interface SmoothingPriors {
  readonly trend: number;
  readonly season: number;
}

const PRIORS: SmoothingPriors = { trend: 20, season: 3 };

export interface FittedForm {
  readonly form: EtsForm;
  /** Layout: `recursion.ts`. */
  readonly parameters: Float64Array;
  /** Corrected Akaike criterion of the posterior's maximum, less constants. */
  readonly aicc: number;
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const logit = (p: number): number => Math.log(p / (1 - p));
const inside = (p: number): number => Math.min(0.9999, Math.max(0.0001, p));

/**
 * @param near a fit of a form with the same trend and season, from which the search begins
 * @returns null where the form cannot be fitted to these values
 */
export function fitForm(
  values: Float64Array,
  form: EtsForm,
  seasonLength: number,
  tape: Tape,
  near: FittedForm | null,
  priors: SmoothingPriors = PRIORS,
): FittedForm | null {
  const n = values.length;
  const m = form.season === "N" ? 0 : seasonLength;
  const parameters = new Float64Array(SEASON + m);
  const gradient = new Float64Array(SEASON + m);
  const loss = (): number =>
    filterEts(values, form, parameters, seasonLength, tape)
      ? lossOf(values, form, tape)
      : Number.POSITIVE_INFINITY;
  if (near !== null) parameters.set(near.parameters);
  if (near === null || !Number.isFinite(loss())) {
    writeInitialStates(values, form, seasonLength, parameters);
    if (!chooseStart(form, parameters, loss)) return null;
  }

  // The free numbers: logits first, then states.
  const hasTrend = form.trend !== "N";
  const logits = [
    ALPHA,
    ...(hasTrend ? [BETA] : []),
    ...(m > 0 ? [GAMMA] : []),
    ...(form.damped ? [PHI] : []),
  ];
  const states = [LEVEL, ...(hasTrend ? [SLOPE] : [])];
  for (let j = 0; j < m; j++) states.push(SEASON + j);
  const free = new Float64Array(logits.length + states.length);
  const alphaShare = inside((parameters[ALPHA] - LEAST_ALPHA) / ALPHA_RANGE);
  logits.forEach((which, i) => {
    free[i] = logit(
      which === ALPHA
        ? alphaShare
        : which === BETA
          ? inside(parameters[BETA] / parameters[ALPHA])
          : which === GAMMA
            ? inside(parameters[GAMMA] / (1 - parameters[ALPHA]))
            : inside((parameters[PHI] - LEAST_PHI) / PHI_RANGE),
    );
  });
  // States are measured in errors, so that changing one does to the likelihood what changing a logit
  // does, roughly.
  const unit = Math.max(1e-6, Math.min(1, Math.exp(loss() / 2)));
  states.forEach((which, i) => {
    free[logits.length + i] = parameters[which] / unit;
  });

  const shares = new Float64Array(4);
  const read = (x: Float64Array): void => {
    for (let i = 0; i < logits.length; i++) shares[logits[i]] = logistic(x[i]);
    const alpha = LEAST_ALPHA + ALPHA_RANGE * shares[ALPHA];
    parameters[ALPHA] = alpha;
    parameters[BETA] = hasTrend ? alpha * shares[BETA] : 0;
    parameters[GAMMA] = m > 0 ? (1 - alpha) * shares[GAMMA] : 0;
    parameters[PHI] = form.damped ? LEAST_PHI + PHI_RANGE * shares[PHI] : 1;
    for (let i = 0; i < states.length; i++) parameters[states[i]] = unit * x[logits.length + i];
  };
  const objective = (x: Float64Array, slopes: Float64Array): number => {
    read(x);
    const value = loss();
    if (!Number.isFinite(value)) return Number.POSITIVE_INFINITY;
    gradientOf(values, form, parameters, seasonLength, tape, gradient);
    for (let i = 0; i < logits.length; i++) {
      const which = logits[i];
      const share = shares[which];
      const steep = share * (1 - share);
      slopes[i] =
        steep *
        (which === ALPHA
          ? ALPHA_RANGE *
            (gradient[ALPHA] + gradient[BETA] * shares[BETA] - gradient[GAMMA] * shares[GAMMA])
          : which === BETA
            ? parameters[ALPHA] * gradient[BETA]
            : which === GAMMA
              ? (1 - parameters[ALPHA]) * gradient[GAMMA]
              : PHI_RANGE * gradient[PHI]);
    }
    for (let i = 0; i < states.length; i++) slopes[logits.length + i] = unit * gradient[states[i]];
    let prior = 0;
    for (let i = 0; i < logits.length; i++) {
      const which = logits[i];
      const weight = which === BETA ? priors.trend : which === GAMMA ? priors.season : 0;
      if (weight === 0) continue;
      // log(1 - logistic(x)), exact where the share is all but 1.
      prior += ((2 * weight) / n) * (Math.max(0, x[i]) + Math.log1p(Math.exp(-Math.abs(x[i]))));
      slopes[i] += ((2 * weight) / n) * shares[which];
    }
    return value + prior;
  };
  const minimum = minimiseBfgs(objective, free, {
    maxIterations: 200,
    tolerance: 1e-4 / n,
    firstStep: 1,
  });
  read(minimum.x);
  const k = parameterCount(form, seasonLength) + 1;
  const aicc = n * minimum.value + 2 * k + (2 * k * (k + 1)) / (n - k - 1);
  return Number.isFinite(aicc) ? { form, parameters, aicc } : null;
}

/** @returns false where no start gives a finite likelihood */
function chooseStart(form: EtsForm, parameters: Float64Array, loss: () => number): boolean {
  let best = Number.POSITIVE_INFINITY;
  let chosen = [0, 0, 0];
  const betas = form.trend === "N" ? [0] : START_SHARES;
  const gammas = form.season === "N" ? [0] : START_SHARES;
  const write = (alpha: number, beta: number, gamma: number): void => {
    parameters[ALPHA] = alpha;
    parameters[BETA] = beta * alpha;
    parameters[GAMMA] = gamma * (1 - alpha);
    parameters[PHI] = form.damped ? START_PHI : 1;
  };
  const alphas = form.season === "N" ? START_ALPHAS : [SLOW_LEVEL / (parameters.length - SEASON)];
  for (const alpha of alphas) {
    for (const beta of betas) {
      for (const gamma of gammas) {
        write(alpha, beta, gamma);
        const value = loss();
        if (value < best) [best, chosen] = [value, [alpha, beta, gamma]];
      }
    }
  }
  write(chosen[0], chosen[1], chosen[2]);
  return Number.isFinite(best);
}
