/**
 * The losses as functions of margins, each a weighted mean over rows.
 *
 * Margins and gradients are output-major: the n margins of output 0, then those of output 1, ….
 */

import { kernelsOf } from "../../../compute/kernels.ts";
import type { Scratch } from "../../../compute/scratch.ts";

export interface MarginLoss {
  readonly outputs: number;
  /** The loss; where `gradient` is given, its derivative by each margin is written there. */
  evaluate(margins: Float64Array, gradient: Float64Array | null): number;
  /** Writes the second derivative by each margin of `output`. */
  curvature(margins: Float64Array, output: number, out: Float64Array): void;
  /** A bound-like typical second derivative at the constant model, for preconditioning. */
  readonly typicalCurvature: number;
  /** The margins of the best constant model. */
  readonly constant: Float64Array;
}

/** ½ (margin - target)². `shares` are the rows' weights, summing to 1. */
export function squaredLoss(target: Float64Array, shares: Float64Array): MarginLoss {
  let mean = 0;
  for (let i = 0; i < target.length; i++) mean += shares[i] * target[i];
  return {
    outputs: 1,
    typicalCurvature: 1,
    constant: Float64Array.of(mean),
    evaluate(margins, gradient) {
      let total = 0;
      for (let i = 0; i < target.length; i++) {
        const difference = margins[i] - target[i];
        total += 0.5 * shares[i] * difference * difference;
        if (gradient) gradient[i] = shares[i] * difference;
      }
      return total;
    },
    curvature(_margins, _output, out) {
      out.set(shares);
    },
  };
}

/** Probability of the second class from its log-odds, without overflow. */
export function sigmoid(margin: number): number {
  if (margin >= 0) return 1 / (1 + Math.exp(-margin));
  const e = Math.exp(margin);
  return e / (1 + e);
}

/** Log-loss of log-odds; `target` holds 0, 1, or probabilities between. Rows go through the arena of `scratch`. */
export function logisticLoss(
  target: Float64Array,
  shares: Float64Array,
  scratch: Scratch,
): MarginLoss {
  const rows = target.length;
  const { arena } = scratch;
  const kernels = kernelsOf(arena);
  const pairs = rows + (rows & 1);
  const [margin, slope, share, label] = [0, 1, 2, 3].map(() => {
    const pointer = scratch.allocate(8 * pairs);
    arena.f64(pointer, pairs).fill(0);
    return pointer;
  });
  arena.f64(share, rows).set(shares);
  arena.f64(label, rows).set(target);
  let rate = 0;
  for (let i = 0; i < rows; i++) rate += shares[i] * target[i];
  // A fold may hold one class only; a finite constant keeps the fit defined.
  const bounded = Math.min(1 - 1e-9, Math.max(1e-9, rate));
  return {
    outputs: 1,
    typicalCurvature: Math.max(1e-3, bounded * (1 - bounded)),
    constant: Float64Array.of(Math.log(bounded / (1 - bounded))),
    evaluate(margins, gradient) {
      arena.f64(margin, rows).set(margins);
      const total = kernels.logisticSlopes(pairs, margin, share, label, gradient ? slope : 0);
      gradient?.set(arena.f64(slope, rows));
      return total;
    },
    curvature(margins, _output, out) {
      for (let i = 0; i < rows; i++) {
        const e = Math.exp(-Math.abs(margins[i]));
        out[i] = (shares[i] * e) / ((1 + e) * (1 + e));
      }
    },
  };
}

/** Log-loss of a softmax; `target` holds class indices. */
export function multinomialLoss(
  target: Float64Array,
  shares: Float64Array,
  classes: number,
): MarginLoss {
  const rows = target.length;
  const rates = new Float64Array(classes);
  for (let i = 0; i < rows; i++) rates[target[i]] += shares[i];
  return softmaxLoss(rates, shares, {
    margin: (margins, i) => margins[target[i] * rows + i],
    subtract(gradient, i) {
      gradient[target[i] * rows + i] -= shares[i];
    },
  });
}

/** The same for labels by degrees: `target` is row-major, a probability of each class a row. */
export function softMultinomialLoss(
  target: Float64Array,
  shares: Float64Array,
  classes: number,
): MarginLoss {
  const rows = shares.length;
  const rates = new Float64Array(classes);
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < classes; k++) rates[k] += shares[i] * target[i * classes + k];
  }
  return softmaxLoss(rates, shares, {
    margin(margins, i) {
      let sum = 0;
      for (let k = 0; k < classes; k++) sum += target[i * classes + k] * margins[k * rows + i];
      return sum;
    },
    subtract(gradient, i) {
      for (let k = 0; k < classes; k++) {
        gradient[k * rows + i] -= shares[i] * target[i * classes + k];
      }
    },
  });
}

/** What a row's label takes part in: its margin, the mean of the classes', and its gradient. */
interface LabelOfRows {
  margin(margins: Float64Array, row: number): number;
  subtract(gradient: Float64Array, row: number): void;
}

/** @param rates mean label of each class */
function softmaxLoss(rates: Float64Array, shares: Float64Array, label: LabelOfRows): MarginLoss {
  const rows = shares.length;
  const classes = rates.length;
  let typical = 0;
  const constant = new Float64Array(classes);
  let mean = 0;
  for (let k = 0; k < classes; k++) {
    typical += (rates[k] * (1 - rates[k])) / classes;
    constant[k] = Math.log(Math.max(rates[k], 1e-9));
    mean += constant[k] / classes;
  }
  for (let k = 0; k < classes; k++) constant[k] -= mean;
  return {
    outputs: classes,
    typicalCurvature: Math.max(1e-3, typical),
    constant,
    evaluate(margins, gradient) {
      let total = 0;
      for (let i = 0; i < rows; i++) {
        let largest = margins[i];
        for (let k = 1; k < classes; k++) largest = Math.max(largest, margins[k * rows + i]);
        let sum = 0;
        for (let k = 0; k < classes; k++) {
          const e = Math.exp(margins[k * rows + i] - largest);
          sum += e;
          if (gradient) gradient[k * rows + i] = e;
        }
        const share = shares[i];
        total += share * (Math.log(sum) + largest - label.margin(margins, i));
        if (gradient) {
          for (let k = 0; k < classes; k++) gradient[k * rows + i] *= share / sum;
          label.subtract(gradient, i);
        }
      }
      return total;
    },
    curvature(margins, output, out) {
      for (let i = 0; i < rows; i++) {
        let largest = margins[i];
        for (let k = 1; k < classes; k++) largest = Math.max(largest, margins[k * rows + i]);
        let sum = 0;
        for (let k = 0; k < classes; k++) sum += Math.exp(margins[k * rows + i] - largest);
        const p = Math.exp(margins[output * rows + i] - largest) / sum;
        out[i] = shares[i] * p * (1 - p);
      }
    },
  };
}
