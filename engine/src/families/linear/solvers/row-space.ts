/**
 * A problem of far more columns than rows in as many columns as it has rows. Under a penalty of squares alone the best
 * coefficients are a sum of rows, so with X Xᵀ = L Lᵀ the design L has the same margins and the same penalties (Hastie
 * & Tibshirani, "Efficient quadratic regularization for expression arrays", Biostatistics 5(3), 2004, §2, whose factor is
 * the singular value decomposition's).
 */

import { factorRidged } from "../../../compute/cholesky.ts";
import { type Scratch, withScratch } from "../../../compute/scratch.ts";
import { FitLimits } from "../../fit-limits.ts";
import { DenseColumns, DesignMatrix } from "../design-matrix.ts";
import { gramMatrix } from "../gram.ts";
import type { Problem, Solution } from "./problem.ts";

/** Of the columns: with more rows, products of the design itself are as cheap. */
const MOST_ROWS_SHARE = 0.7;
/** As many columns have a Cholesky factor as their preconditioner. */
const MOST_ROWS = 1000;
/** Columns that are turned at a time. */
const TURNED_COLUMNS = 1024;

/** Whether the space of the rows is worth its making. */
export const spansFewer = (rows: number, columns: number): boolean =>
  rows <= Math.min(MOST_ROWS, MOST_ROWS_SHARE * columns);

export interface RowSpace {
  /** The problem's, rows × rows. */
  readonly matrix: DesignMatrix;
  /** The solution of the given design, by one of `matrix`. */
  lift(solution: Solution): Solution;
}

/** @returns null where it would save nothing, or changes the problem @throws FitStoppedError */
export function rowSpaceOf(
  scratch: Scratch,
  { matrix, l1, signs, limits }: Pick<Problem, "matrix" | "l1" | "signs" | "limits">,
): RowSpace | null {
  const { rows, columns } = matrix;
  if (l1 !== 0 || signs !== null || !spansFewer(rows, columns)) return null;
  const factor = factorRidged(productsOfRows(matrix, limits), rows, 0);
  const dense = new DenseColumns(scratch, rows, rows, false);
  for (let j = 0; j < rows; j++) {
    const cells = dense.append();
    for (let i = 0; i < rows; i++) cells[i] = i < j ? 0 : factor[i * rows + j];
  }
  return {
    matrix: new DesignMatrix(dense, []),
    lift(solution) {
      const outputs = solution.intercepts.length;
      const coefficients = new Float64Array(outputs * columns);
      for (let k = 0; k < outputs; k++) {
        const ofRows = solution.coefficients.slice(k * rows, (k + 1) * rows);
        solveTransposed(factor, ofRows);
        matrix.transposeMultiply(ofRows, coefficients.subarray(k * columns, (k + 1) * columns));
      }
      return { ...solution, coefficients };
    },
  };
}

/** X Xᵀ, row-major. */
function productsOfRows(matrix: DesignMatrix, limits = new FitLimits()): Float64Array {
  const { rows, dense, denseColumns, groups } = matrix;
  const all = new Float64Array(rows * rows);
  for (let first = 0; first < denseColumns; first += TURNED_COLUMNS) {
    const count = Math.min(TURNED_COLUMNS, denseColumns - first);
    const part = withScratch(dense.scratch.arena, (scratch) => {
      const turned = new DenseColumns(scratch, count, rows, false);
      const cells = Array.from({ length: rows }, () => turned.append());
      for (let j = 0; j < count; j++) {
        const column = dense.cellsOf(first + j);
        for (let i = 0; i < rows; i++) cells[i][j] = column[i];
      }
      return gramMatrix(new DesignMatrix(turned, []), new Float64Array(count).fill(1), limits);
    });
    for (let at = 0; at < all.length; at++) all[at] += part[at];
  }
  for (const { codes } of groups) {
    for (let i = 0; i < rows; i++) {
      if (codes[i] < 0) continue;
      for (let j = 0; j < rows; j++) if (codes[j] === codes[i]) all[i * rows + j]++;
    }
  }
  return all;
}

/** Solves Lᵀ x = b in place. @param factor L, row-major */
function solveTransposed(factor: Float64Array, b: Float64Array): void {
  const size = b.length;
  for (let i = size - 1; i >= 0; i--) {
    b[i] /= factor[i * size + i];
    for (let k = 0; k < i; k++) b[k] -= factor[i * size + k] * b[i];
  }
}
