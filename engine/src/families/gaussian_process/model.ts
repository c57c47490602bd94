/** A fitted Gaussian process: its mean predicts, and is saved and loaded. */

import { kernelsOf } from "../../compute/kernels.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { Explanation, FittedModel, SavedModel } from "../family.ts";
import type { ProcessFormula } from "../formula.ts";
import { arrangeTerms, BOUND, type InputTerm } from "../mlp/inputs.ts";
import { addDistances, type Covariance, correlationOf, type Points } from "./covariance.ts";
import { type PathStart, pathContributions } from "./explain.ts";
import { dimensionNames, readPoints } from "./points.ts";

export const GP_FORMAT = 1;

export interface GaussianProcessState {
  readonly terms: readonly InputTerm[];
  readonly covariance: Covariance;
  /** The rows that it was fitted to. */
  readonly points: Points;
  /** One a row of `points`: the mean is Σ weight · m(u), times `factor`, plus `centre`. */
  readonly weights: Float64Array;
  readonly centre: number;
  readonly factor: number;
  /** Where explanations begin. */
  readonly start: PathStart;
  /** One a feature. */
  readonly importance: Float64Array;
  readonly facts: Readonly<Record<string, number | string>>;
}

export class GaussianProcessModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly #features: number;
  readonly #state: GaussianProcessState;

  /** @param features of the schema */
  constructor(features: number, state: GaussianProcessState) {
    this.#features = features;
    this.#state = state;
    this.facts = state.facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const { terms, centre, factor } = this.#state;
    const asked = readPoints(data, terms, rows);
    const { exp } = kernelsOf(data.arena);
    return posteriorMean(this.#state, asked, exp).map((mean) => centre + factor * mean);
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { terms, centre, factor } = this.#state;
    const asked = readPoints(data, terms, rows);
    const { exp } = kernelsOf(data.arena);
    const means = posteriorMean(this.#state, asked, exp);
    const { base, contributions } = pathContributions(
      this.#state,
      asked,
      means,
      dimensionNames(this.#features, terms),
      exp,
    );
    return {
      space: "identity",
      baseValues: Float64Array.of(centre + factor * base),
      contributions: contributions.map((value) => factor * value),
      margins: means.map((mean) => centre + factor * mean),
    };
  }

  formula(): ProcessFormula {
    return processFormula(this.#state);
  }

  importance(): Float64Array {
    return this.#state.importance.slice();
  }

  save(): SavedModel {
    const { terms, covariance, points, weights, centre, factor, start, importance, facts } =
      this.#state;
    const { smoothness, amplitude, relevances } = covariance;
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

/** Of each row of `asked`, in the scale of the weights. */
export function posteriorMean(
  { covariance, points, weights }: Pick<GaussianProcessState, "covariance" | "points" | "weights">,
  asked: Points,
  exp: (x: number) => number,
): Float64Array {
  const { value } = correlationOf(covariance.smoothness, exp);
  const distances = new Float64Array(points.rows);
  return Float64Array.from({ length: asked.rows }, (_, i) => {
    distances.fill(0);
    addDistances(asked, i, points, covariance.relevances, distances);
    let mean = 0;
    for (let j = 0; j < distances.length; j++) mean += weights[j] * value(distances[j]);
    return mean;
  });
}

/** Two codes that differ are as far apart as columns of 0 and 1 whose squares are halved. */
function processFormula(state: GaussianProcessState): ProcessFormula {
  const { terms, covariance, points, weights, centre, factor } = state;
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
    centre,
    factor,
  };
}
