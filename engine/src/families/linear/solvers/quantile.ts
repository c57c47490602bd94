/**
 * Quantile regression: the pinball loss is smoothed, τ r + h log(1 + exp(-r / h)) of a residual r, and
 * h falls by stages, each from where the last one ended (Zheng, "Gradient descent algorithms for
 * quantile regression with smooth approximation", Int. J. Mach. Learn. & Cyber. 2, 2011; He, Pan, Tan &
 * Zhou, "Smoothed quantile regression with large-scale inference", J. Econometrics 232, 2023, on why
 * what is left of the smoothing is of the order of h²). The intercept is exact in the end: the quantile of
 * what the columns leave.
 */

import { lowerQuantile } from "../../../data/weighted-quantile.ts";
import { solveAccelerated } from "./accelerated-proximal.ts";
import { solveSmooth } from "./lbfgs.ts";
import type { MarginLoss } from "./losses.ts";
import type { Problem, Solution } from "./problem.ts";
import { solveProximal } from "./proximal-newton.ts";

/** h by the mean absolute residual of the stage before; the last alone where nothing is smooth. */
const STAGES: readonly number[] = [0.5, 0.1, 0.02, 0.004, 0.0008];
/** With an L1 term or signs the solvers bound the curvature, 1 / 4 h: a smaller h would take long. */
const SINGLE_STAGE = 0.05;
/** Of the target's unit size: below, rows are met as well as doubles can. */
const LEAST_WIDTH = 1e-9;
const STAGE_ITERATIONS = 150;
const MAX_GRAM_COLUMNS = 1500;

/**
 * @param problem of any loss, which is not read
 * @param target one a row, of about unit size
 * @param level in (0, 1)
 */
export function solveQuantile(
  problem: Omit<Problem, "loss">,
  target: Float64Array,
  level: number,
): Solution {
  const { matrix, shares } = problem;
  const constant = lowerQuantile(target.slice(), shares, level);
  let size = meanSize(
    target.map((y) => y - constant),
    shares,
  );
  let solution: Solution | null = null;
  let iterations = 0;
  const smooth = problem.l1 === 0 && problem.signs === null;
  for (const stage of smooth ? STAGES : [SINGLE_STAGE]) {
    const loss = smoothedPinball(
      target,
      shares,
      level,
      Math.max(LEAST_WIDTH, stage * size),
      constant,
    );
    const asked: Problem = { ...problem, loss, ...(solution ? { start: solution } : {}) };
    solution = smooth
      ? solveSmooth(asked, { maxIterations: STAGE_ITERATIONS, tolerance: 1e-12 })
      : matrix.columns <= MAX_GRAM_COLUMNS
        ? solveAccelerated(asked)
        : solveProximal(asked);
    iterations += solution.iterations;
    size = meanSize(residualsOf(problem, target, solution), shares);
  }
  if (!solution) throw new Error("There is a stage.");
  const rest = residualsOf(problem, target, solution);
  const moved = lowerQuantile(rest, shares, level);
  return {
    ...solution,
    intercepts: Float64Array.of(solution.intercepts[0] + moved),
    iterations,
  };
}

function residualsOf(
  { matrix }: Pick<Problem, "matrix">,
  target: Float64Array,
  { coefficients, intercepts }: Solution,
): Float64Array {
  const fitted = new Float64Array(target.length);
  matrix.multiply(coefficients, intercepts[0], fitted);
  return target.map((y, i) => y - fitted[i]);
}

function meanSize(residuals: Float64Array, shares: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < residuals.length; i++) sum += shares[i] * Math.abs(residuals[i]);
  return sum;
}

/** @param width h, above 0 */
export function smoothedPinball(
  target: Float64Array,
  shares: Float64Array,
  level: number,
  width: number,
  constant: number,
): MarginLoss {
  const curvature = (margins: Float64Array, out: Float64Array): void => {
    for (let i = 0; i < target.length; i++) {
      const e = Math.exp(-Math.abs(target[i] - margins[i]) / width);
      out[i] = (shares[i] * e) / (width * (1 + e) * (1 + e));
    }
  };
  const own = new Float64Array(target.length);
  curvature(new Float64Array(target.length).fill(constant), own);
  return {
    outputs: 1,
    typicalCurvature: Math.max(
      1e-3,
      own.reduce((sum, each) => sum + each, 0),
    ),
    constant: Float64Array.of(constant),
    evaluate(margins, gradient) {
      let total = 0;
      for (let i = 0; i < target.length; i++) {
        const rest = target[i] - margins[i];
        const e = Math.exp(-Math.abs(rest) / width);
        total += shares[i] * (level * rest + Math.max(-rest, 0) + width * Math.log1p(e));
        // The share of the smoothed step that lies below.
        if (gradient) gradient[i] = shares[i] * ((rest >= 0 ? e : 1) / (1 + e) - level);
      }
      return total;
    },
    curvature: (margins, _output, out) => curvature(margins, out),
  };
}
