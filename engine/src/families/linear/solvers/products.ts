/**
 * What a smooth solver asks of the rows: margins of parameters, the loss of margins, sums of its slopes. How
 * margins lie in memory is the products' own affair; solvers add them and multiply them by numbers.
 *
 * Parameters lie output after output: coefficients of centred columns, then the intercept.
 */

import { makePreconditioner, type Preconditioner } from "./preconditioner.ts";
import type { Problem } from "./problem.ts";

export interface Products {
  /** The columns' weighted means. */
  readonly means: Float64Array;
  /** Room for the margins of all rows, or for slopes by them. */
  room(): Float64Array;
  toMargins(parameters: Float64Array, out: Float64Array): void;
  /** The loss; its slopes by the margins are written where they are wanted. */
  evaluate(margins: Float64Array, slopes: Float64Array | null): number;
  /** The loss by each parameter, the penalty left out. */
  toGradient(slopes: Float64Array, out: Float64Array): void;
  /** vector ← an approximate inverse Hessian · vector, of parameters. */
  applyInverse(vector: Float64Array): void;
}

export function columnMeans({ matrix, shares }: Pick<Problem, "matrix" | "shares">): Float64Array {
  const means = new Float64Array(matrix.columns);
  matrix.transposeMultiply(shares, means);
  return means;
}

/** Of the problem's own matrix and loss, margins output-major. */
export function heapProducts(problem: Problem): Products {
  const { matrix, loss } = problem;
  const { rows, columns } = matrix;
  const { outputs } = loss;
  const block = columns + 1;
  const means = columnMeans(problem);
  let precondition: Preconditioner | null = null;
  return {
    means,
    room: () => new Float64Array(outputs * rows),
    toMargins(parameters, out) {
      for (let k = 0; k < outputs; k++) {
        const coefficients = parameters.subarray(k * block, k * block + columns);
        let offset = parameters[k * block + columns];
        for (let j = 0; j < columns; j++) offset -= means[j] * coefficients[j];
        matrix.multiply(coefficients, offset, out.subarray(k * rows, (k + 1) * rows));
      }
    },
    evaluate: (margins, slopes) => loss.evaluate(margins, slopes),
    toGradient(slopes, gradient) {
      for (let k = 0; k < outputs; k++) {
        const own = slopes.subarray(k * rows, (k + 1) * rows);
        const out = gradient.subarray(k * block, k * block + columns);
        matrix.transposeMultiply(own, out);
        let sum = 0;
        for (let i = 0; i < rows; i++) sum += own[i];
        for (let j = 0; j < columns; j++) out[j] -= means[j] * sum;
        gradient[k * block + columns] = sum;
      }
    },
    applyInverse(vector) {
      precondition ??= makePreconditioner(problem, means);
      for (let k = 0; k < outputs; k++) {
        precondition(vector.subarray(k * block, k * block + columns));
        vector[k * block + columns] /= loss.typicalCurvature;
      }
    },
  };
}
