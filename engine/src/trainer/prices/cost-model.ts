/**
 * What a fold of a trial costs, in seconds or in bytes, learned from folds that have finished: one
 * ridge regression for each row of the matrix, from its parameters to the logarithm of the cost
 * (Hutter et al., "Algorithm runtime prediction: methods & evaluation", Artificial Intelligence
 * 206, 2014, §4). Costs are near to products of powers of the parameters (trees × leaves …), so
 * their logarithm is near to linear in the logarithms. Rows and columns do not change in a run.
 *
 * Until a row has folds of its own nothing is predicted. With few of them the penalty holds the
 * slopes near zero, and so the prediction near the row's mean: that of its default parameters.
 */

import type { Parameter, Parameters, SearchSpace } from "../../search/space.ts";

/** Of the slopes, on inputs within [0, 1]; small, since costs hardly scatter around their powers. */
const PENALTY = 0.1;
/** Deviation of the logarithm that is taken for granted: fits of equal parameters differ too. */
const LEAST_DEVIATION = 0.15;

export interface CostEstimate {
  readonly expected: number;
  /** One standard deviation below and above, on the logarithmic scale. */
  readonly low: number;
  readonly high: number;
}

interface Observation {
  readonly inputs: readonly number[];
  readonly log: number;
}

interface Fit {
  readonly mean: number;
  readonly centres: readonly number[];
  readonly slopes: readonly number[];
  readonly deviation: number;
}

export class CostModel {
  readonly #spaces: readonly SearchSpace[];
  readonly #observations: Observation[][];
  readonly #fits: (Fit | null)[];

  /** @param spaces one a row of the matrix */
  constructor(spaces: readonly SearchSpace[]) {
    this.#spaces = spaces;
    this.#observations = spaces.map(() => []);
    this.#fits = spaces.map(() => null);
  }

  /** Costs that are not positive numbers say nothing. */
  observe(row: number, parameters: Parameters, cost: number): void {
    if (!(cost > 0) || !Number.isFinite(cost)) return;
    this.#observations[row].push({
      inputs: inputsOf(this.#spaces[row], parameters),
      log: Math.log(cost),
    });
    this.#fits[row] = null;
  }

  /** Null where the row has no finished fold. */
  predict(row: number, parameters: Parameters): CostEstimate | null {
    const observations = this.#observations[row];
    if (observations.length === 0) return null;
    const fit = this.#fits[row] ?? fitRidge(observations);
    this.#fits[row] = fit;
    const inputs = inputsOf(this.#spaces[row], parameters);
    let log = fit.mean;
    inputs.forEach((input, i) => {
      log += fit.slopes[i] * (input - fit.centres[i]);
    });
    return {
      expected: Math.exp(log),
      low: Math.exp(log - fit.deviation),
      high: Math.exp(log + fit.deviation),
    };
  }
}

/** Each parameter within [0, 1], on the log scale where it has one; a categorical one-hot. */
function inputsOf(space: SearchSpace, parameters: Parameters): number[] {
  return Object.entries(space).flatMap(([name, parameter]) =>
    inputsOfParameter(parameter, parameters[name]),
  );
}

/** A parameter that is not active counts as nothing. */
function inputsOfParameter(parameter: Parameter, value: Parameters[string] | undefined): number[] {
  if (parameter.type === "categorical") {
    return parameter.choices.map((choice) => (choice === value ? 1 : 0));
  }
  if (typeof value !== "number") return [0];
  const { low, high, log } = parameter;
  if (!(high > low)) return [0];
  return [log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)];
}

function fitRidge(observations: readonly Observation[]): Fit {
  const count = observations.length;
  const size = observations[0].inputs.length;
  const mean = observations.reduce((sum, { log }) => sum + log, 0) / count;
  const centres = Array.from(
    { length: size },
    (_, i) => observations.reduce((sum, { inputs }) => sum + inputs[i], 0) / count,
  );
  const matrix = Array.from({ length: size }, () => new Float64Array(size));
  const right = new Float64Array(size);
  for (const { inputs, log } of observations) {
    for (let i = 0; i < size; i++) {
      const x = inputs[i] - centres[i];
      right[i] += x * (log - mean);
      for (let j = 0; j <= i; j++) matrix[i][j] += x * (inputs[j] - centres[j]);
    }
  }
  for (let i = 0; i < size; i++) matrix[i][i] += PENALTY;
  const slopes = solvePositive(matrix, right);
  let squares = 0;
  for (const { inputs, log } of observations) {
    let residual = log - mean;
    for (let i = 0; i < size; i++) residual -= slopes[i] * (inputs[i] - centres[i]);
    squares += residual ** 2;
  }
  // One observation of deviation 0.5 beforehand: a family's parameters easily move costs so much.
  const deviation = Math.max(LEAST_DEVIATION, Math.sqrt((squares + 0.25) / (count + 1)));
  return { mean, centres, slopes, deviation };
}

/** Solves A x = b by Cholesky; only the lower triangle of A is read, and it is overwritten. */
function solvePositive(a: readonly Float64Array[], b: Float64Array): number[] {
  const size = b.length;
  const x = Array.from(b);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i][j];
      for (let k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
      a[i][j] = i === j ? Math.sqrt(sum) : sum / a[j][j];
    }
    for (let k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i] -= a[k][i] * x[k];
    x[i] /= a[i][i];
  }
  return x;
}
