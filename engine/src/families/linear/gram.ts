/**
 * XᵀUX for a design matrix and row weights U, in blocks of rows, so that what is held beside the
 * result is one block however long the data. Only the lower triangle is computed, then mirrored.
 */

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
    addDenseBlock(gram, size, dense, raw, weighted);
    addGroups(gram, matrix, weights, weighted, start, count);
  }
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) gram[i * size + j] = gram[j * size + i];
  }
  return gram;
}

/** Lower triangle of weightedᵀ · raw, in tiles of 2 × 4 columns that stay in registers. */
function addDenseBlock(
  gram: Float64Array,
  size: number,
  dense: number,
  raw: Float64Array,
  weighted: Float64Array,
): void {
  for (let i = 0; i < dense; i += 2) {
    const pair = i + 1 < dense;
    const a0 = i * BLOCK_ROWS;
    const a1 = pair ? a0 + BLOCK_ROWS : a0;
    const last = pair ? i + 1 : i;
    let j = 0;
    for (; j + 3 <= last; j += 4) {
      const b = j * BLOCK_ROWS;
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s03 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let s13 = 0;
      for (let r = 0; r < BLOCK_ROWS; r++) {
        const x0 = weighted[a0 + r];
        const x1 = weighted[a1 + r];
        const y0 = raw[b + r];
        const y1 = raw[b + BLOCK_ROWS + r];
        const y2 = raw[b + 2 * BLOCK_ROWS + r];
        const y3 = raw[b + 3 * BLOCK_ROWS + r];
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
      gram[row0] += s00;
      gram[row0 + 1] += s01;
      gram[row0 + 2] += s02;
      gram[row0 + 3] += s03;
      if (pair) {
        const row1 = row0 + size;
        gram[row1] += s10;
        gram[row1 + 1] += s11;
        gram[row1 + 2] += s12;
        gram[row1 + 3] += s13;
      }
    }
    for (; j <= last; j++) {
      const b = j * BLOCK_ROWS;
      let s0 = 0;
      let s1 = 0;
      for (let r = 0; r < BLOCK_ROWS; r++) {
        s0 += weighted[a0 + r] * raw[b + r];
        s1 += weighted[a1 + r] * raw[b + r];
      }
      gram[i * size + j] += s0;
      if (pair) gram[(i + 1) * size + j] += s1;
    }
  }
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
