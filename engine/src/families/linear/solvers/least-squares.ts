/**
 * Least squares from its normal equations: ridge in closed form, the elastic net and constrained
 * signs by coordinate descent.
 */

import { factorRidged, solveCholesky } from "../../../compute/cholesky.ts";
import { FitLimits } from "../../fit-limits.ts";
import { gramMatrix } from "../gram.ts";
import { coordinateDescent } from "./coordinate-descent.ts";
import { gcvPenalty } from "./gcv-penalty.ts";
import type { Problem, Solution } from "./problem.ts";

/**
 * @param penalty "gcv": `l2` is not read, but chosen by generalised cross-validation
 */
export function solveLeastSquares(
  problem: Problem,
  target: Float64Array,
  penalty: "given" | "gcv" = "given",
): Solution {
  const { matrix, shares, l1, signs, limits = new FitLimits() } = problem;
  const size = matrix.columns;
  const gram = gramMatrix(matrix, shares, limits);
  const means = new Float64Array(size);
  matrix.transposeMultiply(shares, means);
  let targetMean = 0;
  for (let i = 0; i < target.length; i++) targetMean += shares[i] * target[i];
  const residual = new Float64Array(target.length);
  let variance = 0;
  let squaredShares = 0;
  for (let i = 0; i < target.length; i++) {
    residual[i] = shares[i] * (target[i] - targetMean);
    variance += residual[i] * (target[i] - targetMean);
    squaredShares += shares[i] * shares[i];
  }
  const moment = new Float64Array(size);
  matrix.transposeMultiply(residual, moment);
  // Centring in the normal equations takes the unpenalised intercept out of them.
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) gram[i * size + j] -= means[i] * means[j];
  }
  const chosen =
    penalty === "gcv" ? gcvPenalty({ gram, moment, variance, rows: 1 / squaredShares }) : null;
  const l2 = chosen?.penalty ?? problem.l2;
  const exact = l1 === 0 && signs === null;
  const found = exact
    ? { coefficients: solveRidge(gram, moment, l2), iterations: 1, converged: true }
    : coordinateDescent({ gram, moment, l1, l2, signs }, new Float64Array(size));
  let intercept = targetMean;
  for (let j = 0; j < size; j++) intercept -= means[j] * found.coefficients[j];
  return {
    ...found,
    ...(chosen && { chosen }),
    intercepts: Float64Array.of(intercept),
  };
}

function solveRidge(gram: Float64Array, moment: Float64Array, l2: number): Float64Array {
  const size = moment.length;
  const factor = factorRidged(gram, size, l2);
  const solution = moment.slice();
  solveCholesky(factor, size, solution);
  // One step of iterative refinement: it restores the digits that a bad condition takes.
  const rest = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    let sum = moment[i] - l2 * solution[i];
    for (let j = 0; j < size; j++) sum -= gram[i * size + j] * solution[j];
    rest[i] = sum;
  }
  solveCholesky(factor, size, rest);
  for (let i = 0; i < size; i++) solution[i] += rest[i];
  return solution;
}
