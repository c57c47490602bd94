/**
 * Fitting a temperature: the scale of the margins (and a shift of the log-odds) of least weighted
 * log-loss, by Newton's method on what is a convex problem.
 *
 * Where all rows are right, the least loss lies at infinite certainty, which few rows cannot vouch
 * for. So labels are smoothed by the rule of succession, as if one row more had been wrong: of each
 * class with two, whose scale and shift are two parameters, and of all with more. With more classes it is one
 * that the model itself takes to be doubtful, and the label one that it holds for likely: a wrong label in any row
 * alike would be taken for a class to which a forest gave nothing at all, and bend the scale by itself.
 *
 * Sources: Guo, Pleiss, Sun, Weinberger, "On calibration of modern neural networks", ICML 2017, §4.2;
 * Platt, "Probabilistic outputs for support vector machines", 1999, §2.2 (the smoothed labels).
 */

import type { LabelledRows } from "../labelled-rows.ts";
import { clippedProbability, logistic, logOdds } from "../margins.ts";
import type { TemperatureCalibration } from "./calibration.ts";

const LEAST_SCALE = 0.05;
const MOST_SCALE = 20;
const MOST_STEPS = 50;
const TOLERANCE = 1e-12;

/** @param probabilities of the rows, row-major */
export function fitTemperature(
  probabilities: Float64Array,
  rows: LabelledRows,
): TemperatureCalibration {
  return rows.outputs === 1 ? fitTwoClasses(probabilities, rows) : fitClasses(probabilities, rows);
}

/** Scale and bias together: a logistic regression on one margin, with halved steps where needed. */
function fitTwoClasses(
  probabilities: Float64Array,
  { target, weights }: LabelledRows,
): TemperatureCalibration {
  const margins = probabilities.map(logOdds);
  const rowsOf = (k: number): number => {
    let count = 0;
    for (let i = 0; i < target.length; i++) if (target[i] === k && weights?.[i] !== 0) count++;
    return count;
  };
  const smoothed = [1 / (rowsOf(0) + 2), 1 - 1 / (rowsOf(1) + 2)];
  const loss = (scale: number, bias: number): number => {
    let sum = 0;
    for (let i = 0; i < margins.length; i++) {
      const margin = scale * margins[i] + bias;
      // log(1 + e^m) without overflow.
      const one =
        Math.max(0, margin) +
        Math.log1p(Math.exp(-Math.abs(margin))) -
        smoothed[target[i]] * margin;
      sum += weights === null ? one : weights[i] * one;
    }
    return sum;
  };
  let scale = 1;
  let bias = 0;
  let current = loss(scale, bias);
  for (let step = 0; step < MOST_STEPS; step++) {
    let [gs, gb, hss, hsb, hbb] = [0, 0, 0, 0, 0];
    for (let i = 0; i < margins.length; i++) {
      const weight = weights === null ? 1 : weights[i];
      const p = logistic(scale * margins[i] + bias);
      const error = weight * (p - smoothed[target[i]]);
      const curvature = weight * p * (1 - p);
      gs += error * margins[i];
      gb += error;
      hss += curvature * margins[i] * margins[i];
      hsb += curvature * margins[i];
      hbb += curvature;
    }
    hss += 1e-9;
    hbb += 1e-9;
    const determinant = hss * hbb - hsb * hsb;
    if (!(determinant > 0)) break;
    const stepScale = (hbb * gs - hsb * gb) / determinant;
    const stepBias = (hss * gb - hsb * gs) / determinant;
    // What the step would gain if the loss were the parabola that it is near its minimum.
    if ((gs * stepScale + gb * stepBias) / 2 < TOLERANCE * current) break;
    let improved = false;
    for (let rate = 1; rate > 1e-6 && !improved; rate /= 2) {
      const nextScale = bounded(scale - rate * stepScale);
      const nextBias = bias - rate * stepBias;
      const next = loss(nextScale, nextBias);
      if (next < current) {
        improved = true;
        [scale, bias, current] = [nextScale, nextBias, next];
      }
    }
    if (!improved) break;
  }
  return { kind: "temperature", scale, bias };
}

/** The derivative by the scale rises, so its zero is found by bisection with Newton steps. */
function fitClasses(probabilities: Float64Array, rows: LabelledRows): TemperatureCalibration {
  const { target, weights, outputs } = rows;
  const margins = probabilities.map((p) => Math.log(clippedProbability(p)));
  const doubted = doubtedMargins(margins, probabilities, rows);
  const derivatives = (scale: number): [number, number] => {
    let first = 0;
    let second = 0;
    for (let i = 0; i < target.length; i++) {
      const from = i * outputs;
      let highest = Number.NEGATIVE_INFINITY;
      for (let k = 0; k < outputs; k++) highest = Math.max(highest, margins[from + k]);
      let [sum, mean, square] = [0, 0, 0];
      for (let k = 0; k < outputs; k++) {
        const power = Math.exp(scale * (margins[from + k] - highest));
        sum += power;
        mean += power * margins[from + k];
        square += power * margins[from + k] * margins[from + k];
      }
      mean /= sum;
      const weight = weights === null ? 1 : weights[i];
      first += weight * (mean - doubted[i]);
      second += weight * (square / sum - mean * mean);
    }
    return [first, second];
  };
  let [low, high] = [LEAST_SCALE, MOST_SCALE];
  let scale = 1;
  for (let step = 0; step < MOST_STEPS; step++) {
    const [first, second] = derivatives(scale);
    if (first > 0) high = scale;
    else low = scale;
    const newton = scale - first / second;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - scale) < 1e-8 * scale) break;
    scale = next;
  }
  return { kind: "temperature", scale, bias: 0 };
}

/**
 * Of each row the margin of its label, which is smoothed by the probabilities of all: by as much that what is expected
 * to be wrong, by these, comes to one row, or by all of it where that is less.
 */
function doubtedMargins(
  margins: Float64Array,
  probabilities: Float64Array,
  { target, weights, outputs }: LabelledRows,
): Float64Array {
  let wrong = 0;
  for (const [i, y] of target.entries()) {
    if (weights?.[i] !== 0) wrong += 1 - probabilities[i * outputs + y];
  }
  const share = 1 / Math.max(1, wrong);
  return target.map((y, i) => {
    const from = i * outputs;
    let [sum, total] = [0, 0];
    for (let k = 0; k < outputs; k++) {
      const p = clippedProbability(probabilities[from + k]);
      sum += p * margins[from + k];
      total += p;
    }
    return (1 - share) * margins[from + y] + (share * sum) / total;
  });
}

function bounded(scale: number): number {
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));
}
