/**
 * XᵀUX for a design matrix and row weights U, in blocks of rows, so that what is held beside the
 * result is one block however long the data. Only the lower triangle is computed, then mirrored.
 */

import { kernelsOf } from "../../compute/kernels.ts";
import { withScratch } from "../../compute/scratch.ts";
import { placeOf, tiledMatrix } from "../../sequences/ridge/tiled-matrix.ts";
import { FitLimits } from "../fit-limits.ts";
import type { DesignMatrix } from "./design-matrix.ts";

const BLOCK_ROWS = 256;

/**
 * Row-major, columns × columns.
 *
 * @param weights one number a row, none below 0
 * @throws FitStoppedError
 */
export function gramMatrix(
  matrix: DesignMatrix,
  weights: Float64Array,
  limits = new FitLimits(),
): Float64Array {
  const size = matrix.columns;
  const gram = new Float64Array(size * size);
  addDense(gram, matrix, weights, limits);
  for (let start = 0; matrix.groups.length > 0 && start < matrix.rows; start += BLOCK_ROWS) {
    limits.throwIfOver();
    addGroups(gram, matrix, weights, start, Math.min(BLOCK_ROWS, matrix.rows - start));
  }
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) gram[i * size + j] = gram[j * size + i];
  }
  return gram;
}

function addDense(
  gram: Float64Array,
  matrix: DesignMatrix,
  weights: Float64Array,
  limits: FitLimits,
): void {
  const { dense, denseColumns } = matrix;
  const { arena } = dense.scratch;
  const groups = Math.ceil(denseColumns / 4);
  const width = 4 * groups;
  if (groups === 0) return;
  withScratch(arena, (scratch) => {
    const kernels = kernelsOf(arena);
    const roots = scratch.allocate(8 * BLOCK_ROWS);
    const panel = scratch.allocate(8 * width * BLOCK_ROWS);
    const tiles = tiledMatrix(scratch, width, width);
    // Columns that fill up a row group stay 0.
    arena.f64(panel, width * BLOCK_ROWS).fill(0);
    const rootsView = arena.f64(roots, BLOCK_ROWS);
    for (let start = 0; start < matrix.rows; start += BLOCK_ROWS) {
      limits.throwIfOver();
      const count = Math.min(BLOCK_ROWS, matrix.rows - start);
      for (let i = 0; i < count; i++) rootsView[i] = Math.sqrt(weights[start + i]);
      matrix.pack(start, count, roots, panel);
      kernels.subtractGram(panel, groups, count, tiles.pointer);
    }
    for (let i = 0; i < denseColumns; i++) {
      for (let j = 0; j <= i; j++) {
        gram[i * matrix.columns + j] = -tiles.values[placeOf(width, i, j)];
      }
    }
  });
}

function addGroups(
  gram: Float64Array,
  matrix: DesignMatrix,
  weights: Float64Array,
  start: number,
  count: number,
): void {
  const size = matrix.columns;
  for (let j = 0; j < matrix.denseColumns; j++) {
    const cells = matrix.dense.cellsOf(j);
    for (const [g, { codes }] of matrix.groups.entries()) {
      const first = matrix.groupStarts[g];
      for (let i = start; i < start + count; i++) {
        const code = codes[i];
        if (code >= 0) gram[(first + code) * size + j] += cells[i] * weights[i];
      }
    }
  }
  for (const [g, { codes }] of matrix.groups.entries()) {
    const first = matrix.groupStarts[g];
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
