/** A fitted Gaussian process: its means predict, and are saved and loaded. */

import { kernelsOf } from "../../compute/kernels.ts";
import type { EncodedData } from "../../data/encoded.ts";
import { type Task, typeOf } from "../../tasks/index.ts";
import type { Explanation, FittedModel, SavedModel } from "../family.ts";
import type { ProcessFormula } from "../formula.ts";
import { arrangeTerms, BOUND, type InputTerm } from "../mlp/inputs.ts";
import { toPredictions } from "../mlp/model.ts";
import { addDistances, type Covariance, correlationOf, type Points } from "./covariance.ts";
import { type PathStart, pathContributions } from "./explain.ts";
import { dimensionNames, readPoints } from "./points.ts";

export const GP_FORMAT = 1;

export interface GaussianProcessState {
  readonly terms: readonly InputTerm[];
  readonly covariance: Covariance;
  /** The rows that it was fitted to. */
  readonly points: Points;
  /**
   * Those of all rows of `points`, one output after another: a mean is Σ weight · m(u). A margin is its
   * output's mean times its factor, plus its centre.
   */
  readonly weights: Float64Array;
  readonly centres: readonly number[];
  readonly factors: readonly number[];
  /** Where explanations begin. */
  readonly start: PathStart;
  /** One a feature. */
  readonly importance: Float64Array;
  readonly facts: Readonly<Record<string, number | string>>;
}

export class GaussianProcessModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly #task: Task;
  readonly #features: number;
  readonly #state: GaussianProcessState;

  /** @param features of the schema */
  constructor(task: Task, features: number, state: GaussianProcessState) {
    this.#task = task;
    this.#features = features;
    this.#state = state;
    this.facts = state.facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const asked = readPoints(data, this.#state.terms, rows);
    const means = posteriorMeans(this.#state, asked, kernelsOf(data.arena).exp);
    const outputs = this.#state.centres.length;
    return toPredictions(this.#task, data, this.#margins(means), { outputs, centre: 0, factor: 1 });
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { terms, factors } = this.#state;
    const asked = readPoints(data, terms, rows);
    const { exp } = kernelsOf(data.arena);
    const means = posteriorMeans(this.#state, asked, exp);
    const { base, contributions } = pathContributions(
      this.#state,
      asked,
      means,
      dimensionNames(this.#features, terms),
      exp,
    );
    return {
      space: typeOf(this.#task).link,
      baseValues: this.#margins(base),
      contributions: contributions.map((value, at) => factors[at % factors.length] * value),
      margins: this.#margins(means),
    };
  }

  /** @param means row-major, rows × outputs */
  #margins(means: Float64Array): Float64Array {
    const { centres, factors } = this.#state;
    const outputs = centres.length;
    return means.map((mean, at) => centres[at % outputs] + factors[at % outputs] * mean);
  }

  formula(): ProcessFormula {
    return processFormula(this.#state);
  }

  importance(): Float64Array {
    return this.#state.importance.slice();
  }

  save(): SavedModel {
    const { terms, covariance, points, weights, centres, factors, start, importance, facts } =
      this.#state;
    const { smoothness, amplitude, relevances } = covariance;
    // Those of one output are numbers, as they were before there were classes.
    const [centre, factor] = [centres, factors].map((all) => (all.length === 1 ? all[0] : all));
    return {
      header: { format: GP_FORMAT, terms, smoothness, amplitude, centre, factor, facts },
      tensors: {
        relevances,
        numbers: points.numbers,
        codes: points.codes,
        weights,
        start_numbers: start.numbers,
        start_shares: start.shares,
        importance,
      },
    };
  }
}

/** In the scale of the weights: row-major, rows of `asked` × outputs. */
export function posteriorMeans(
  { covariance, points, weights }: Pick<GaussianProcessState, "covariance" | "points" | "weights">,
  asked: Points,
  exp: (x: number) => number,
): Float64Array {
  const { value } = correlationOf(covariance.smoothness, exp);
  const known = points.rows;
  const outputs = weights.length / known;
  const line = new Float64Array(known);
  const means = new Float64Array(asked.rows * outputs);
  for (let i = 0; i < asked.rows; i++) {
    line.fill(0);
    addDistances(asked, i, points, covariance.relevances, line);
    for (let j = 0; j < known; j++) line[j] = value(line[j]);
    for (let k = 0; k < outputs; k++) {
      let mean = 0;
      for (let j = 0; j < known; j++) mean += weights[k * known + j] * line[j];
      means[i * outputs + k] = mean;
    }
  }
  return means;
}

/** Two codes that differ are as far apart as columns of 0 and 1 whose squares are halved. */
function processFormula(state: GaussianProcessState): ProcessFormula {
  const { terms, covariance, points, weights, centres, factors } = state;
  const { numbers, oneHot } = arrangeTerms(terms);
  const { codeCounts } = dimensionNames(0, terms);
  const numberScales = numbers.map((_, d) => Math.sqrt(covariance.relevances[d]));
  const codeScales = oneHot.map((_, c) => Math.sqrt(covariance.relevances[numbers.length + c] / 2));
  const columns = codeCounts.reduce((sum, count) => sum + count, numbers.length);
  const placed = new Float64Array(points.rows * columns);
  for (let j = 0; j < points.rows; j++) {
    const own = placed.subarray(j * columns, (j + 1) * columns);
    for (const [d, scale] of numberScales.entries()) {
      own[d] = scale * points.numbers[d * points.rows + j];
    }
    let first = numbers.length;
    for (const [c, count] of codeCounts.entries()) {
      own[first + points.codes[c * points.rows + j]] = codeScales[c];
      first += count;
    }
  }
  return {
    kind: "process",
    numbers: numbers.map(({ feature, centre: middle, factor: scale }) => ({
      feature,
      centre: middle,
      factor: scale,
    })),
    bound: BOUND,
    numberScales,
    marks: oneHot.map((term, c) =>
      term.kind === "missing"
        ? { kind: "missing", feature: term.feature, scale: codeScales[c] }
        : { kind: "category", feature: term.feature, count: term.count, scale: codeScales[c] },
    ),
    smoothness: covariance.smoothness,
    points: placed,
    weights,
    centres,
    factors,
  };
}
