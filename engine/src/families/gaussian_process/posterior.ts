/**
 * The weights of the rows in a Gaussian process's mean, (K + noise)⁻¹ y times the amplitude, by a Cholesky
 * factor made in blocks (Golub & Van Loan, "Matrix Computations", 4th ed., §4.2.9), whose products run over
 * columns that stay in the cache.
 */

import { factorCholesky, solveCholesky } from "../../compute/cholesky.ts";
import { addLowerProducts } from "../../compute/lower-products.ts";
import { type FitLimits, FitStoppedError } from "../fit-limits.ts";
import { type Covariance, lowerCovariances } from "./covariance.ts";
import type { LabelledPoints } from "./evidence.ts";

const BLOCK = 64;

/** @throws FitStoppedError when the time is over */
export function weightsOf(
  { points, labels, noiseFactors }: LabelledPoints,
  covariance: Covariance,
  noise: number,
  { exp, limits }: { readonly exp: (x: number) => number; readonly limits: FitLimits },
): Float64Array {
  const { rows } = points;
  // Rounding may leave the matrix of many alike rows indefinite: more noise then, tenfold a time.
  for (let added = noise; ; added *= 10) {
    const factor = lowerCovariances(points, covariance, exp);
    for (let i = 0; i < rows; i++) factor[i * rows + i] += added * (noiseFactors?.[i] ?? 1);
    if (!factorInBlocks(factor, rows, limits)) {
      if (Number.isFinite(added)) continue;
      throw new FitStoppedError();
    }
    const weights = labels.slice();
    solveCholesky(factor, rows, weights);
    return weights.map((weight) => covariance.amplitude * weight);
  }
}

/** As `factorCholesky`, of large matrices. */
export function factorInBlocks(a: Float64Array, size: number, limits: FitLimits): boolean {
  const diagonal = new Float64Array(BLOCK * BLOCK);
  /** The block column below the diagonal: a block that is not the last, which nothing lies below. */
  const panel = new Float64Array(size * BLOCK);
  const negated = new Float64Array(size * BLOCK);
  for (let first = 0; first < size; first += BLOCK) {
    limits.throwIfOver();
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
