/**
 * L-BFGS for problems without an L1 term (Nocedal & Wright, "Numerical Optimization", 2nd ed.,
 * algorithms 7.4 and 7.5), with the preconditioner as the initial inverse Hessian.
 *
 * Works on centred columns: margin = a + Σ (xⱼ - meanⱼ) bⱼ, which separates the intercepts a from
 * the rest. Margins are linear in the parameters, so a line search costs no product with X.
 */

import { FitLimits } from "../../fit-limits.ts";
import { type Problem, type Solution, SUFFICIENT_DECREASE } from "./problem.ts";
import { heapProducts, type Products } from "./products.ts";

const MEMORY = 12;

export interface LbfgsOptions {
  /** Stops when half the squared Newton decrement, an estimate of the excess loss, is below. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** Absent: made of the problem's matrix and loss. */
  readonly products?: Products;
}

interface Correction {
  readonly step: Float64Array;
  readonly change: Float64Array;
  readonly inverseCurvature: number;
}

export function solveSmooth(problem: Problem, options: LbfgsOptions = {}): Solution {
  const { matrix, loss, l2, start, limits = new FitLimits() } = problem;
  const tolerance = options.tolerance ?? 1e-14;
  const maxIterations = options.maxIterations ?? 300;
  const { columns } = matrix;
  const { outputs } = loss;
  const block = columns + 1;
  const length = outputs * block;
  const products = options.products ?? heapProducts(problem);
  const { means } = products;

  /** Per output: its coefficients, then its intercept. */
  const theta = new Float64Array(length);
  for (let k = 0; k < outputs; k++) {
    let intercept = start?.intercepts[k] ?? loss.constant[k];
    for (let j = 0; start && j < columns; j++) {
      theta[k * block + j] = start.coefficients[k * columns + j];
      intercept += means[j] * theta[k * block + j];
    }
    theta[k * block + columns] = intercept;
  }
  let margins = products.room();
  const direction = new Float64Array(length);
  const marginStep = products.room();
  let trial = products.room();
  const slopes = products.room();
  const gradient = new Float64Array(length);

  const toGradient = (): void => {
    products.toGradient(slopes, gradient);
    for (let k = 0; k < outputs; k++) {
      for (let j = k * block; j < k * block + columns; j++) gradient[j] += l2 * theta[j];
    }
  };
  const penalty = (parameters: Float64Array): number => {
    let sum = 0;
    for (let k = 0; k < outputs; k++) {
      for (let j = 0; j < columns; j++) sum += parameters[k * block + j] ** 2;
    }
    return 0.5 * l2 * sum;
  };
  const applyInverse = (vector: Float64Array): void => products.applyInverse(vector);

  products.toMargins(theta, margins);
  let value = products.evaluate(margins, slopes) + penalty(theta);
  toGradient();
  const history: Correction[] = [];
  let scale = 1;
  let iterations = 0;
  let converged = false;
  const next = new Float64Array(length);
  while (iterations < maxIterations && limits.begin()) {
    direction.set(gradient);
    twoLoop(direction, history, scale, applyInverse);
    for (let j = 0; j < length; j++) direction[j] = -direction[j];
    const descent = inner(gradient, direction);
    if (!(descent < 0) || -0.5 * descent <= tolerance) {
      converged = true;
      break;
    }
    products.toMargins(direction, marginStep);
    let step = 1;
    let found = Number.POSITIVE_INFINITY;
    for (let halvings = 0; halvings < 40; halvings++) {
      for (let j = 0; j < length; j++) next[j] = theta[j] + step * direction[j];
      for (let i = 0; i < trial.length; i++) trial[i] = margins[i] + step * marginStep[i];
      found = products.evaluate(trial, slopes) + penalty(next);
      if (found <= value + SUFFICIENT_DECREASE * step * descent) break;
      step *= 0.5;
    }
    iterations++;
    if (!(found < value)) {
      // No step lowers the loss any more: what is left is rounding.
      converged = true;
      break;
    }
    const change = gradient.slice();
    theta.set(next);
    [margins, trial] = [trial, margins];
    value = found;
    toGradient();
    const taken = new Float64Array(length);
    for (let j = 0; j < length; j++) {
      taken[j] = step * direction[j];
      change[j] = gradient[j] - change[j];
    }
    const curvature = inner(taken, change);
    const image = change.slice();
    applyInverse(image);
    const stretch = inner(change, image);
    if (curvature > 1e-14 * stretch && stretch > 0) {
      history.push({ step: taken, change, inverseCurvature: 1 / curvature });
      if (history.length > MEMORY) history.shift();
      scale = curvature / stretch;
    }
  }

  const coefficients = new Float64Array(outputs * columns);
  const intercepts = new Float64Array(outputs);
  for (let k = 0; k < outputs; k++) {
    let intercept = theta[k * block + columns];
    for (let j = 0; j < columns; j++) {
      coefficients[k * columns + j] = theta[k * block + j];
      intercept -= means[j] * theta[k * block + j];
    }
    intercepts[k] = intercept;
  }
  return { coefficients, intercepts, iterations, converged };
}

/** vector ← (approximate inverse Hessian) · vector */
function twoLoop(
  vector: Float64Array,
  history: readonly Correction[],
  scale: number,
  applyInverse: (vector: Float64Array) => void,
): void {
  const weights = new Float64Array(history.length);
  for (let h = history.length - 1; h >= 0; h--) {
    const { step, change, inverseCurvature } = history[h];
    weights[h] = inverseCurvature * inner(step, vector);
    for (let j = 0; j < vector.length; j++) vector[j] -= weights[h] * change[j];
  }
  applyInverse(vector);
  for (let j = 0; j < vector.length; j++) vector[j] *= scale;
  for (let h = 0; h < history.length; h++) {
    const { step, change, inverseCurvature } = history[h];
    const weight = weights[h] - inverseCurvature * inner(change, vector);
    for (let j = 0; j < vector.length; j++) vector[j] += weight * step[j];
  }
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
