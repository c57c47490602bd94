/**
 * The weights of the rows in a Gaussian process's mean, (K + noise)⁻¹ y times the amplitude, by a Cholesky
 * factor made in blocks (Golub & Van Loan, "Matrix Computations", 4th ed., §4.2.9), whose products run over
 * columns that stay in the cache.
 */

import { factorCholesky, solveCholesky } from "../../compute/cholesky.ts";
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
  /** The block column below the diagonal, transposed by pairs of rows. */
  const panel = new Float64Array(size * BLOCK);
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
      row.length < BLOCK && panel.fill(0, i * BLOCK + width, (i + 1) * BLOCK);
    }
    subtractProducts(a, size, panel, end);
  }
  return true;
}

/** a -= panel panelᵀ in the lower triangle from `start` on, in tiles of 2 × 4 that stay in registers. */
function subtractProducts(a: Float64Array, size: number, panel: Float64Array, start: number): void {
  for (let i = start; i < size; i += 2) {
    const pair = i + 1 < size;
    const p0 = i * BLOCK;
    const p1 = pair ? p0 + BLOCK : p0;
    const last = pair ? i + 1 : i;
    for (let j = start; j <= last; j += 4) {
      const q0 = j * BLOCK;
      const q1 = Math.min(j + 1, size - 1) * BLOCK;
      const q2 = Math.min(j + 2, size - 1) * BLOCK;
      const q3 = Math.min(j + 3, size - 1) * BLOCK;
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s03 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let s13 = 0;
      for (let k = 0; k < BLOCK; k++) {
        const x0 = panel[p0 + k];
        const x1 = panel[p1 + k];
        const y0 = panel[q0 + k];
        const y1 = panel[q1 + k];
        const y2 = panel[q2 + k];
        const y3 = panel[q3 + k];
        s00 += x0 * y0;
        s01 += x0 * y1;
        s02 += x0 * y2;
        s03 += x0 * y3;
        s10 += x1 * y0;
        s11 += x1 * y1;
        s12 += x1 * y2;
        s13 += x1 * y3;
      }
      const row0 = i * size + j;
      const room = last - j;
      a[row0] -= s00;
      if (room >= 1) a[row0 + 1] -= s01;
      if (room >= 2) a[row0 + 2] -= s02;
      if (room >= 3) a[row0 + 3] -= s03;
      if (!pair) continue;
      const row1 = row0 + size;
      a[row1] -= s10;
      if (room >= 1) a[row1 + 1] -= s11;
      if (room >= 2) a[row1 + 2] -= s12;
      if (room >= 3) a[row1 + 3] -= s13;
    }
  }
}
