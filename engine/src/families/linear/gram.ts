/**
 * XᵀUX for a design matrix and row weights U, in blocks of rows, so that what is held beside the
 * result is one block however long the data. Only the lower triangle is computed, then mirrored.
 */

import { addLowerProducts } from "../../compute/lower-products.ts";
import { FitLimits } from "../fit-limits.ts";
import type { DesignMatrix } from "./design-matrix.ts";

const BLOCK_ROWS = 256;

/**
 * Row-major, columns × columns.
 *
 * @param weights one number a row
 * @throws FitStoppedError
 */
export function gramMatrix(
  matrix: DesignMatrix,
  weights: Float64Array,
  limits = new FitLimits(),
): Float64Array {
  const size = matrix.columns;
  const gram = new Float64Array(size * size);
  const dense = matrix.denseColumns;
  const raw = new Float64Array(BLOCK_ROWS * dense);
  const weighted = new Float64Array(BLOCK_ROWS * dense);
  for (let start = 0; start < matrix.rows; start += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, matrix.rows - start);
    limits.throwIfOver();
    for (let j = 0; j < dense; j++) {
      const column = matrix.dense[j];
      for (let i = 0; i < count; i++) {
        const cell = column[start + i];
        raw[j * BLOCK_ROWS + i] = cell;
        weighted[j * BLOCK_ROWS + i] = cell * weights[start + i];
      }
      // A short last block is padded with zeros, which add nothing.
      raw.fill(0, j * BLOCK_ROWS + count, (j + 1) * BLOCK_ROWS);
      weighted.fill(0, j * BLOCK_ROWS + count, (j + 1) * BLOCK_ROWS);
    }
    addLowerProducts(gram, size, { from: 0, to: dense }, weighted, raw, BLOCK_ROWS);
    addGroups(gram, matrix, weights, weighted, start, count);
  }
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) gram[i * size + j] = gram[j * size + i];
  }
  return gram;
}

function addGroups(
  gram: Float64Array,
  matrix: DesignMatrix,
  weights: Float64Array,
  weighted: Float64Array,
  start: number,
  count: number,
): void {
  const size = matrix.columns;
  for (let g = 0; g < matrix.groups.length; g++) {
    const { codes } = matrix.groups[g];
    const first = matrix.groupStarts[g];
    for (let j = 0; j < matrix.denseColumns; j++) {
      const from = j * BLOCK_ROWS;
      for (let i = 0; i < count; i++) {
        const code = codes[start + i];
        if (code >= 0) gram[(first + code) * size + j] += weighted[from + i];
      }
    }
    for (let h = 0; h < g; h++) {
      const others = matrix.groups[h].codes;
      const otherFirst = matrix.groupStarts[h];
      for (let i = start; i < start + count; i++) {
        const code = codes[i];
        const other = others[i];
        if (code >= 0 && other >= 0) {
          gram[(first + code) * size + otherFirst + other] += weights[i];
        }
      }
    }
    for (let i = start; i < start + count; i++) {
      const code = codes[i];
      if (code >= 0) gram[(first + code) * (size + 1)] += weights[i];
    }
  }
}
