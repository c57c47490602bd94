/**
 * An approximate inverse Hessian for smooth problems: (c · XᵀUX + l2 · I)⁻¹ for every output,
 * with one typical curvature c in place of each row's own (after Böhning, "Multinomial logistic
 * regression algorithm", Ann. Inst. Stat. Math. 44, 1992, whose c bounds the Hessian).
 *
 * It makes the work of L-BFGS nearly independent of collinearity and scale. Where the
 * columns are too many to factor, the diagonal stands in.
 */

import { factorRidged, solveCholesky } from "../../../compute/cholesky.ts";
import { FitLimits } from "../../fit-limits.ts";
import type { Problem } from "./problem.ts";
import { centredVariances, sampledGram } from "./sampled-gram.ts";

/** Beyond, the diagonal stands in. */
export const MAX_FACTORED_COLUMNS = 1000;

/** A Cholesky factor, columns × columns row-major, or the diagonal alone where columns are too many. */
export type TypicalHessian =
  | { readonly factor: Float64Array; readonly diagonal: null }
  | { readonly factor: null; readonly diagonal: Float64Array };

/** Of the coefficients of one output, with columns centred. */
export function typicalHessian(problem: Problem, means: Float64Array): TypicalHessian {
  const { matrix, shares, loss, l2, limits = new FitLimits() } = problem;
  const curvature = loss.typicalCurvature;
  const size = matrix.columns;
  const floor = Math.max(l2, 1e-10);
  if (size > MAX_FACTORED_COLUMNS) {
    const diagonal = centredVariances(matrix, shares, means);
    for (let j = 0; j < size; j++) diagonal[j] = curvature * diagonal[j] + floor;
    return { factor: null, diagonal };
  }
  const gram = sampledGram(matrix, shares, means, limits);
  for (let at = 0; at < gram.length; at++) gram[at] *= curvature;
  return { factor: factorRidged(gram, size, floor), diagonal: null };
}

/** Solves in place for the coefficients of one output, with columns centred. */
export type Preconditioner = (gradient: Float64Array) => void;

export function makePreconditioner(problem: Problem, means: Float64Array): Preconditioner {
  const size = problem.matrix.columns;
  const { factor, diagonal } = typicalHessian(problem, means);
  if (factor !== null) return (gradient) => solveCholesky(factor, size, gradient);
  return (gradient) => {
    for (let j = 0; j < size; j++) gradient[j] /= diagonal[j];
  };
}
