/**
 * One explanation of a blend of models, per column of the input.
 *
 * A blend averages values or probabilities. Where every member's contributions add up in that same
 * space (regression; forests), their weighted sum explains the blend exactly. A classifier that adds
 * up log-odds is carried into probabilities along the straight line from its base margin to the
 * row's (Aumann & Shapley 1974; the integral gives contributions that add up to the difference of
 * the probabilities). A model of one member stays in its own margin space, where TreeSHAP is exact.
 */

import type { Feature } from "../data/encoded.ts";
import type { Explanation, MarginSpace } from "../families/family.ts";
import type { Task } from "../tasks/task.ts";

export interface BlendExplanation {
  /** `probability` where members of several margins were carried into probabilities. */
  readonly space: MarginSpace | "probability";
  readonly columns: readonly string[];
  /** One an output. */
  readonly baseValues: readonly number[];
  /** Rows × outputs: what base and contributions add up to. */
  readonly predictions: readonly (readonly number[])[];
  /** Rows × outputs × columns. */
  readonly contributions: readonly (readonly Float64Array[])[];
}

export interface ExplainedMember {
  readonly weight: number;
  readonly explanation: Explanation;
}

export function explainBlend(
  task: Task,
  features: readonly Feature[],
  members: readonly ExplainedMember[],
): BlendExplanation {
  const single = members.length === 1;
  const additive = members.map(({ weight, explanation }) => ({
    weight,
    explanation: single ? explanation : toProbability(explanation, features.length),
  }));
  const columns = [...new Set(features.map((feature) => feature.column))];
  const columnOf = features.map((feature) => columns.indexOf(feature.column));
  const outputs = additive[0].explanation.baseValues.length;
  const rows = additive[0].explanation.margins.length / outputs;

  const baseValues = new Array<number>(outputs).fill(0);
  for (const { weight, explanation } of additive) {
    for (let k = 0; k < outputs; k++) baseValues[k] += weight * explanation.baseValues[k];
  }
  const predictions: number[][] = [];
  const contributions: Float64Array[][] = [];
  for (let row = 0; row < rows; row++) {
    const margin = new Array<number>(outputs).fill(0);
    const byColumn = Array.from({ length: outputs }, () => new Float64Array(columns.length));
    for (const { weight, explanation } of additive) {
      for (let k = 0; k < outputs; k++)
        margin[k] += weight * explanation.margins[row * outputs + k];
      for (let f = 0; f < features.length; f++) {
        const from = (row * features.length + f) * outputs;
        for (let k = 0; k < outputs; k++) {
          byColumn[k][columnOf[f]] += weight * explanation.contributions[from + k];
        }
      }
    }
    predictions.push(margin);
    contributions.push(byColumn);
  }
  const space =
    single || task.kind === "regression" ? additive[0].explanation.space : "probability";
  return { space, columns, baseValues, predictions, contributions };
}

/** Nodes and weights of 8-point Gauss–Legendre quadrature on [0, 1]. */
const NODES = [
  0.0198550717512319, 0.1016667612931866, 0.2372337950418355, 0.4082826787521751,
  0.5917173212478249, 0.7627662049581645, 0.8983332387068134, 0.9801449282487681,
];
const NODE_WEIGHTS = [
  0.0506142681451881, 0.1111905172266872, 0.1568533229389437, 0.181341891689181, 0.181341891689181,
  0.1568533229389437, 0.1111905172266872, 0.0506142681451881,
];

const logistic = (margin: number): number => 1 / (1 + Math.exp(-margin));

export function softmax(margins: ArrayLike<number>): number[] {
  let highest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < margins.length; k++) highest = Math.max(highest, margins[k]);
  const powers = Array.from(margins, (margin) => Math.exp(margin - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** The same explanation with contributions that add up to probabilities. */
export function toProbability(explanation: Explanation, features: number): Explanation {
  if (explanation.space === "identity") return explanation;
  return explanation.space === "logit"
    ? logitToProbability(explanation, features)
    : softmaxToProbability(explanation, features);
}

function logitToProbability(explanation: Explanation, features: number): Explanation {
  const base = explanation.baseValues[0];
  const baseProbability = logistic(base);
  const contributions = new Float64Array(explanation.contributions.length);
  const margins = Float64Array.from(explanation.margins, logistic);
  for (let row = 0; row < margins.length; row++) {
    const difference = explanation.margins[row] - base;
    // The integral of the logistic's slope along the line, in closed form.
    const slope =
      Math.abs(difference) < 1e-9
        ? baseProbability * (1 - baseProbability)
        : (margins[row] - baseProbability) / difference;
    for (let f = 0; f < features; f++) {
      const at = row * features + f;
      contributions[at] = explanation.contributions[at] * slope;
    }
  }
  return {
    space: "identity",
    baseValues: Float64Array.of(baseProbability),
    contributions,
    margins,
  };
}

function softmaxToProbability(explanation: Explanation, features: number): Explanation {
  const outputs = explanation.baseValues.length;
  const rows = explanation.margins.length / outputs;
  const base = softmax(explanation.baseValues);
  const contributions = new Float64Array(explanation.contributions.length);
  const margins = new Float64Array(explanation.margins.length);
  for (let row = 0; row < rows; row++) {
    const end = explanation.margins.subarray(row * outputs, (row + 1) * outputs);
    margins.set(softmax(end), row * outputs);
    const slopes = meanJacobian(explanation.baseValues, end);
    for (let k = 0; k < outputs; k++) {
      let sum = 0;
      let size = 0;
      for (let f = 0; f < features; f++) {
        const from = (row * features + f) * outputs;
        let value = 0;
        for (let j = 0; j < outputs; j++) {
          value += slopes[k * outputs + j] * explanation.contributions[from + j];
        }
        contributions[from + k] = value;
        sum += value;
        size += Math.abs(value);
      }
      // What quadrature missed is shared in proportion, so that the sum is exact.
      const missed = margins[row * outputs + k] - base[k] - sum;
      for (let f = 0; f < features && size > 0; f++) {
        const at = (row * features + f) * outputs + k;
        contributions[at] += (missed * Math.abs(contributions[at])) / size;
      }
    }
  }
  return { space: "identity", baseValues: Float64Array.from(base), contributions, margins };
}

/** ∫₀¹ of the softmax's Jacobian along the line from `start` to `end`; row-major, k × j. */
function meanJacobian(start: Float64Array, end: Float64Array): Float64Array {
  const outputs = start.length;
  const jacobian = new Float64Array(outputs * outputs);
  for (const [node, position] of NODES.entries()) {
    const point = softmax(Float64Array.from(start, (s, k) => s + position * (end[k] - s)));
    for (let k = 0; k < outputs; k++) {
      for (let j = 0; j < outputs; j++) {
        const entry = k === j ? point[k] * (1 - point[k]) : -point[k] * point[j];
        jacobian[k * outputs + j] += NODE_WEIGHTS[node] * entry;
      }
    }
  }
  return jacobian;
}
