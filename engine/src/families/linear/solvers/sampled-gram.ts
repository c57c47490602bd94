/**
 * The centred Gram matrix XᵀUX, of evenly spaced rows where rows are many: the shape of the
 * curvature, for solvers that need it only roughly.
 *
 * Diagonals are raised to those of all rows, so that a level too rare for the sample is not taken
 * for a column without any curvature.
 */

import { type Scratch, withScratch } from "../../../compute/scratch.ts";
import { FitLimits } from "../../fit-limits.ts";
import { DenseColumns, DesignMatrix } from "../design-matrix.ts";
import { gramMatrix } from "../gram.ts";

const MIN_SAMPLED_ROWS = 2000;
const SAMPLED_ROWS_PER_COLUMN = 5;
/** Multiply-adds that more rows than the least may cost, or so many passes over all rows: few iterations save as many. */
const WORK = 1e8;
const PASSES = 50;

/**
 * @param means one a column: its weighted mean
 * @returns row-major, columns × columns
 */
export function sampledGram(
  matrix: DesignMatrix,
  shares: Float64Array,
  means: Float64Array,
  limits = new FitLimits(),
): Float64Array {
  const size = matrix.columns;
  const width = matrix.denseColumns + matrix.groups.length;
  const wanted = Math.max(
    MIN_SAMPLED_ROWS,
    SAMPLED_ROWS_PER_COLUMN * size,
    Math.floor((2 * WORK) / (width * width + 1)),
    Math.floor((2 * PASSES * matrix.rows) / (width + 1)),
  );
  const gram = withScratch(matrix.dense.scratch.arena, (scratch) => {
    const sample = sampleRows(scratch, matrix, shares, Math.ceil(matrix.rows / wanted));
    const centred = gramMatrix(sample.matrix, sample.shares, limits);
    const sampleMeans = new Float64Array(size);
    sample.matrix.transposeMultiply(sample.shares, sampleMeans);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) centred[i * size + j] -= sampleMeans[i] * sampleMeans[j];
    }
    return centred;
  });
  const exact = centredVariances(matrix, shares, means);
  for (let j = 0; j < size; j++) {
    gram[j * size + j] = Math.max(gram[j * size + j], exact[j]);
  }
  return gram;
}

export function centredVariances(
  matrix: DesignMatrix,
  shares: Float64Array,
  means: Float64Array,
): Float64Array {
  const out = new Float64Array(matrix.columns);
  out.set(matrix.weighedSquares(shares));
  // A 0/1 column is its own square.
  for (let j = matrix.denseColumns; j < matrix.columns; j++) out[j] = means[j];
  for (let j = 0; j < matrix.columns; j++) out[j] = Math.max(0, out[j] - means[j] * means[j]);
  return out;
}

/** Every `stride`-th row, its weight rescaled so that weights sum to 1. */
function sampleRows(
  scratch: Scratch,
  matrix: DesignMatrix,
  shares: Float64Array,
  stride: number,
): { matrix: DesignMatrix; shares: Float64Array } {
  if (stride === 1) return { matrix, shares };
  const rows = Math.ceil(matrix.rows / stride);
  const dense = new DenseColumns(scratch, rows, matrix.denseColumns, matrix.dense.isSingle);
  for (let j = 0; j < matrix.denseColumns; j++) {
    const column = matrix.dense.cellsOf(j);
    const taken = dense.append();
    for (let i = 0; i < rows; i++) taken[i] = column[i * stride];
  }
  const groups = matrix.groups.map(({ codes, levels }) => {
    const taken = new Int32Array(rows);
    for (let i = 0; i < rows; i++) taken[i] = codes[i * stride];
    return { codes: taken, levels };
  });
  const taken = new Float64Array(rows);
  let total = 0;
  for (let i = 0; i < rows; i++) {
    taken[i] = shares[i * stride];
    total += taken[i];
  }
  for (let i = 0; i < rows; i++) taken[i] = total > 0 ? taken[i] / total : 1 / rows;
  return { matrix: new DesignMatrix(dense, groups), shares: taken };
}
