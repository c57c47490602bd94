/**
 * The weights of the rows in a Gaussian process's means, (K + noise)⁻¹ y times the amplitude, by a Cholesky
 * factor made in blocks (Golub & Van Loan, "Matrix Computations", 4th ed., §4.2.9), whose products run over
 * columns that stay in the cache; and what the means would be of rows that were left out.
 */

import { factorCholesky, inverseColumns, solveCholesky } from "../../compute/cholesky.ts";
import { addLowerProducts } from "../../compute/lower-products.ts";
import { type FitLimits, FitStoppedError } from "../fit-limits.ts";
import { type Covariance, lowerCovariances } from "./covariance.ts";
import type { LabelledPoints } from "./evidence.ts";

const BLOCK = 64;

export interface Posterior {
  /** Those of all rows, one output after another. */
  readonly weights: Float64Array;
  /**
   * Means of some of the rows (ascending), each by a process that knows all rows but that one (Rasmussen & Williams 2006,
   * §5.4.2, equation 5.12): row-major, rows × outputs.
   */
  leftOut(rows: Uint32Array): Float64Array;
}

/** @throws FitStoppedError when the time is over */
export function posteriorOf(
  { points, labels, noiseFactors }: LabelledPoints,
  covariance: Covariance,
  noise: number,
  { exp, limits }: { readonly exp: (x: number) => number; readonly limits: FitLimits },
): Posterior {
  const { rows } = points;
  const outputs = labels.length / rows;
  // Rounding may leave the matrix of many alike rows indefinite: more noise then, tenfold a time.
  for (let added = noise; ; added *= 10) {
    const factor = lowerCovariances(points, covariance, exp);
    for (let i = 0; i < rows; i++) factor[i * rows + i] += added * (noiseFactors?.[i] ?? 1);
    if (!factorInBlocks(factor, rows, limits)) {
      if (Number.isFinite(added)) continue;
      throw new FitStoppedError();
    }
    const solved = labels.slice();
    for (let k = 0; k < outputs; k++) {
      solveCholesky(factor, rows, solved.subarray(k * rows, (k + 1) * rows));
    }
    return {
      weights: solved.map((weight) => covariance.amplitude * weight),
      leftOut(some) {
        const means = new Float64Array(some.length * outputs);
        let at = 0;
        inverseColumns(factor, rows, some, (column, row) => {
          limits.throwIfLate();
          // The entry of (LLᵀ)⁻¹ on the diagonal.
          let own = 0;
          for (let i = row; i < rows; i++) own += column[i] ** 2;
          for (let k = 0; k < outputs; k++, at++) {
            means[at] = labels[k * rows + row] - solved[k * rows + row] / own;
          }
        });
        return means;
      },
    };
  }
}

/** As `factorCholesky`, of large matrices. */
export function factorInBlocks(a: Float64Array, size: number, limits: FitLimits): boolean {
  const diagonal = new Float64Array(BLOCK * BLOCK);
  /** The block column below the diagonal: a block that is not the last, which nothing lies below. */
  const panel = new Float64Array(size * BLOCK);
  const negated = new Float64Array(size * BLOCK);
  for (let first = 0; first < size; first += BLOCK) {
    limits.throwIfLate();
    const width = Math.min(BLOCK, size - first);
    const end = first + width;
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) diagonal[i * width + j] = a[(first + i) * size + first + j];
    }
    if (!factorCholesky(diagonal, width)) return false;
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) a[(first + i) * size + first + j] = diagonal[i * width + j];
    }
    for (let i = end; i < size; i++) {
      const row = panel.subarray(i * BLOCK, i * BLOCK + width);
      for (let j = 0; j < width; j++) {
        let rest = a[i * size + first + j];
        for (let k = 0; k < j; k++) rest -= row[k] * diagonal[j * width + k];
        row[j] = rest / diagonal[j * width + j];
        a[i * size + first + j] = row[j];
      }
      for (let j = 0; j < width; j++) negated[i * BLOCK + j] = -row[j];
    }
    addLowerProducts(a, size, { from: end, to: size }, negated, panel, BLOCK);
  }
  return true;
}
