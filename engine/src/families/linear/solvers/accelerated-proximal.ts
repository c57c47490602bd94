/**
 * Accelerated proximal steps for problems with an L1 term or sign constraints, measured by the
 * design's own Gram matrix: every step minimises
 *
 *     gradient · d + stretch · c / 2 · dᵀGd + penalties
 *
 * by coordinate descent on G, which needs no pass over the rows. In that metric the logistic
 * losses are well conditioned however collinear the columns, so few steps are needed.
 *
 * Beck & Teboulle, "A fast iterative shrinkage-thresholding algorithm", SIAM J. Imaging Sci. 2(1),
 * 2009, with backtracking; restarts after O'Donoghue & Candès, "Adaptive restart for accelerated
 * gradient schemes", Found. Comput. Math. 15, 2015.
 */

import { FitLimits } from "../../fit-limits.ts";
import { coordinateDescent } from "./coordinate-descent.ts";
import type { Problem, Solution } from "./problem.ts";
import { heapProducts, type Products } from "./products.ts";
import { sampledGram } from "./sampled-gram.ts";

export interface AcceleratedOptions {
  /** Largest violation of the optimality conditions allowed. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** Absent: made of the problem's matrix and loss. */
  readonly products?: Products;
}

/** Parts of the step's length that its own minimisation may be wrong by. */
const INNER_PRECISION = 0.02;
const INNER_SWEEPS = 40;
/** Multiply-adds that all steps' minimisations may spend: reached only far from convergence. */
const INNER_WORK = 2e9;

export function solveAccelerated(problem: Problem, options: AcceleratedOptions = {}): Solution {
  const { matrix, shares, loss, l1, l2, signs, limits = new FitLimits() } = problem;
  const tolerance = options.tolerance ?? 1e-6;
  const maxIterations = options.maxIterations ?? 300;
  const { columns } = matrix;
  const { outputs, typicalCurvature } = loss;
  const block = columns + 1;
  const products = options.products ?? heapProducts(problem);
  const { means } = products;
  const gram = sampledGram(matrix, shares, means, limits);

  // Columns are centred, as in L-BFGS: a block holds coefficients, then the intercept.
  let at = new Float64Array(outputs * block);
  for (let k = 0; k < outputs; k++) at[k * block + columns] = loss.constant[k];
  let atMargins = products.room();
  products.toMargins(at, atMargins);
  const ahead = at.slice();
  const aheadMargins = products.room();
  aheadMargins.set(atMargins);
  let next = new Float64Array(outputs * block);
  let nextMargins = products.room();
  const slopes = products.room();
  const gradient = new Float64Array(outputs * block);
  const metricStep = new Float64Array(outputs * block);
  let momentum = 1;
  let stretch = 1;
  let innerTolerance = 1e-2;
  let settled = true;
  let iterations = 0;
  let innerWork = 0;
  let converged = false;

  /** From `ahead` to `next`, and G (next - ahead) into `metricStep`. */
  const takeStep = (scale: number): void => {
    settled = true;
    for (let k = 0; k < outputs; k++) {
      const from = ahead.subarray(k * block, k * block + columns);
      const image = multiplySymmetric(gram, from);
      const moment = image.map((value, j) => value - gradient[k * block + j] / scale);
      const minimum = coordinateDescent(
        { gram, moment, l1: l1 / scale, l2: l2 / scale, signs },
        at.subarray(k * block, k * block + columns),
        {
          tolerance: innerTolerance / scale,
          work: INNER_SWEEPS * columns * columns,
        },
      );
      const found = minimum.coefficients;
      innerWork += minimum.work;
      settled &&= minimum.converged;
      next.set(found, k * block);
      const end = k * block + columns;
      next[end] = ahead[end] - gradient[end] / scale;
      const foundImage = multiplySymmetric(gram, found);
      for (let j = 0; j < columns; j++) metricStep[k * block + j] = foundImage[j] - image[j];
      metricStep[end] = next[end] - ahead[end];
    }
    products.toMargins(next, nextMargins);
  };

  while (iterations < maxIterations && innerWork < INNER_WORK && limits.begin()) {
    iterations++;
    const value = products.evaluate(aheadMargins, slopes);
    products.toGradient(slopes, gradient);
    for (let tries = 0; tries < 60; tries++) {
      const scale = stretch * typicalCurvature;
      takeStep(scale);
      let linear = 0;
      let square = 0;
      for (let j = 0; j < next.length; j++) {
        linear += gradient[j] * (next[j] - ahead[j]);
        square += metricStep[j] * (next[j] - ahead[j]);
      }
      const bound = value + linear + 0.5 * scale * square;
      if (products.evaluate(nextMargins, null) <= bound + 1e-14 * Math.abs(value)) break;
      stretch *= 1.5;
    }
    let length = 0;
    let uphill = 0;
    for (let j = 0; j < next.length; j++) {
      length = Math.max(length, stretch * typicalCurvature * Math.abs(metricStep[j]));
      uphill -= metricStep[j] * (next[j] - at[j]);
    }
    // The optimality conditions are violated by no more than the step and its own error together.
    converged = settled && length <= tolerance / 2 && innerTolerance <= tolerance / 2;
    innerTolerance = Math.max(tolerance / 10, Math.min(innerTolerance, INNER_PRECISION * length));
    const grown = uphill > 0 ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const push = uphill > 0 ? 0 : (momentum - 1) / grown;
    momentum = grown;
    [at, next] = [next, at];
    [atMargins, nextMargins] = [nextMargins, atMargins];
    if (converged) break;
    for (let j = 0; j < ahead.length; j++) ahead[j] = at[j] + push * (at[j] - next[j]);
    for (let i = 0; i < aheadMargins.length; i++) {
      const own = atMargins[i];
      // Margins that fill up a row's classes are -Infinity, whose differences are no numbers.
      aheadMargins[i] =
        own === Number.NEGATIVE_INFINITY ? own : own + push * (own - nextMargins[i]);
    }
  }

  const coefficients = new Float64Array(outputs * columns);
  const intercepts = new Float64Array(outputs);
  for (let k = 0; k < outputs; k++) {
    coefficients.set(at.subarray(k * block, k * block + columns), k * columns);
    let intercept = at[k * block + columns];
    for (let j = 0; j < columns; j++) intercept -= means[j] * at[k * block + j];
    intercepts[k] = intercept;
  }
  return { coefficients, intercepts, iterations, converged };
}

function multiplySymmetric(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length;
  const out = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    const scale = vector[j];
    if (scale === 0) continue;
    const row = matrix.subarray(j * size, (j + 1) * size);
    for (let k = 0; k < size; k++) out[k] += scale * row[k];
  }
  return out;
}
