/**
 * Carrying contributions through a function of the value that they add up to.
 *
 * A value that moves from u₀ (the base) to u along the straight line moves g(u) by the integral of
 * g's slope, which is shared among the contributions as they share u − u₀ (Aumann & Shapley 1974).
 * What comes out adds up to g(u) − g(u₀), so steps can follow one another.
 */

import { logistic } from "../ensemble/margins.ts";
import type { Explanation } from "../families/family.ts";

/** Half the width of the difference that stands in for a slope where u and u₀ are one. */
const NEARBY = 1e-6;

/** Each output by a function of its own value; exact. */
export function carryThrough(
  explanation: Explanation,
  features: number,
  g: (value: number, output: number) => number,
): Explanation {
  const outputs = explanation.baseValues.length;
  const rows = explanation.margins.length / outputs;
  const baseValues = explanation.baseValues.map(g);
  const margins = explanation.margins.map((value, at) => g(value, at % outputs));
  const contributions = new Float64Array(explanation.contributions.length);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < outputs; k++) {
      const base = explanation.baseValues[k];
      const value = explanation.margins[row * outputs + k];
      const difference = value - base;
      const slope =
        Math.abs(difference) < 1e-9
          ? (g(base + NEARBY, k) - g(base - NEARBY, k)) / (2 * NEARBY)
          : (margins[row * outputs + k] - baseValues[k]) / difference;
      for (let f = 0; f < features; f++) {
        const at = (row * features + f) * outputs + k;
        contributions[at] = explanation.contributions[at] * slope;
      }
    }
  }
  const carried = { space: "identity", baseValues, margins, contributions } as const;
  return withoutRemainder(carried, features);
}

/** Positive values divided by their sum over the outputs. */
export function carryThroughShares(explanation: Explanation, features: number): Explanation {
  const outputs = explanation.baseValues.length;
  return carryAlong(explanation, features, (point, value, slopes, weight) => {
    let sum = 0;
    for (let k = 0; k < outputs; k++) sum += point[k];
    for (let k = 0; k < outputs; k++) value[k] = point[k] / sum;
    if (slopes === null) return;
    for (let k = 0; k < outputs; k++) {
      for (let j = 0; j < outputs; j++) {
        slopes[k * outputs + j] += (weight * ((k === j ? 1 : 0) - value[k])) / sum;
      }
    }
  });
}

/** The same explanation with contributions that add up to probabilities. */
export function toProbability(explanation: Explanation, features: number): Explanation {
  if (explanation.space === "identity") return explanation;
  if (explanation.space === "logit") return carryThrough(explanation, features, logistic);
  const outputs = explanation.baseValues.length;
  return carryAlong(explanation, features, (point, value, slopes, weight) => {
    let highest = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < outputs; k++) highest = Math.max(highest, point[k]);
    let sum = 0;
    for (let k = 0; k < outputs; k++) {
      value[k] = Math.exp(point[k] - highest);
      sum += value[k];
    }
    for (let k = 0; k < outputs; k++) value[k] /= sum;
    if (slopes === null) return;
    for (let k = 0; k < outputs; k++) {
      for (let j = 0; j < outputs; j++) {
        slopes[k * outputs + j] += weight * value[k] * ((k === j ? 1 : 0) - value[j]);
      }
    }
  });
}

/**
 * The function's value at a point and, where `slopes` is not null, its Jacobian (row-major, value ×
 * point) times `weight`, added to what is there.
 */
type Slope = (
  point: Float64Array,
  value: Float64Array,
  slopes: Float64Array | null,
  weight: number,
) => void;

/** Nodes and weights of 8-point Gauss–Legendre quadrature on [0, 1]. */
const NODES = [
  0.0198550717512319, 0.1016667612931866, 0.2372337950418355, 0.4082826787521751,
  0.5917173212478249, 0.7627662049581645, 0.8983332387068134, 0.9801449282487681,
];
const NODE_WEIGHTS = [
  0.0506142681451881, 0.1111905172266872, 0.1568533229389437, 0.181341891689181, 0.181341891689181,
  0.1568533229389437, 0.1111905172266872, 0.0506142681451881,
];

/** Outputs that move together: the integral by quadrature, what it misses shared in proportion. */
function carryAlong(explanation: Explanation, features: number, g: Slope): Explanation {
  const outputs = explanation.baseValues.length;
  const rows = explanation.margins.length / outputs;
  const start = explanation.baseValues;
  const baseValues = new Float64Array(outputs);
  g(start, baseValues, null, 0);
  const margins = new Float64Array(explanation.margins.length);
  const contributions = new Float64Array(explanation.contributions.length);
  const slopes = new Float64Array(outputs * outputs);
  const point = new Float64Array(outputs);
  const value = new Float64Array(outputs);
  for (let row = 0; row < rows; row++) {
    const end = explanation.margins.subarray(row * outputs, (row + 1) * outputs);
    g(end, value, null, 0);
    margins.set(value, row * outputs);
    slopes.fill(0);
    for (const [node, position] of NODES.entries()) {
      for (let k = 0; k < outputs; k++) point[k] = start[k] + position * (end[k] - start[k]);
      g(point, value, slopes, NODE_WEIGHTS[node]);
    }
    for (let f = 0; f < features; f++) {
      const from = (row * features + f) * outputs;
      for (let k = 0; k < outputs; k++) {
        let sum = 0;
        for (let j = 0; j < outputs; j++) {
          sum += slopes[k * outputs + j] * explanation.contributions[from + j];
        }
        contributions[from + k] = sum;
      }
    }
  }
  return withoutRemainder({ space: "identity", baseValues, margins, contributions }, features);
}

/** What the contributions miss of the difference is shared in proportion to their size. */
function withoutRemainder(explanation: Explanation, features: number): Explanation {
  const { baseValues, margins, contributions } = explanation;
  const outputs = baseValues.length;
  for (let at = 0; at < margins.length; at++) {
    const k = at % outputs;
    const first = ((at - k) / outputs) * features * outputs + k;
    let [sum, size] = [0, 0];
    for (let f = 0; f < features; f++) {
      sum += contributions[first + f * outputs];
      size += Math.abs(contributions[first + f * outputs]);
    }
    const missed = margins[at] - baseValues[k] - sum;
    if (size === 0 || missed === 0) continue;
    for (let f = 0; f < features; f++) {
      const place = first + f * outputs;
      contributions[place] += (missed * Math.abs(contributions[place])) / size;
    }
  }
  return explanation;
}
