/**
 * The centred Gram matrix XᵀUX of evenly spaced rows where rows are many: the shape of the
 * curvature, for solvers that need it only roughly.
 */

import { DesignMatrix } from "../design-matrix.ts";
import { gramMatrix } from "../gram.ts";

const MIN_SAMPLED_ROWS = 2000;
const SAMPLED_ROWS_PER_COLUMN = 5;

/** Row-major, columns × columns. */
export function sampledGram(matrix: DesignMatrix, shares: Float64Array): Float64Array {
  const size = matrix.columns;
  const wanted = Math.max(MIN_SAMPLED_ROWS, SAMPLED_ROWS_PER_COLUMN * size);
  const sample = sampleRows(matrix, shares, Math.max(1, Math.floor(matrix.rows / wanted)));
  const gram = gramMatrix(sample.matrix, sample.shares);
  const means = new Float64Array(size);
  sample.matrix.transposeMultiply(sample.shares, means);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) gram[i * size + j] -= means[i] * means[j];
  }
  return gram;
}

/** Every `stride`-th row, its weight rescaled so that weights sum to 1. */
function sampleRows(
  matrix: DesignMatrix,
  shares: Float64Array,
  stride: number,
): { matrix: DesignMatrix; shares: Float64Array } {
  if (stride === 1) return { matrix, shares };
  const rows = Math.ceil(matrix.rows / stride);
  const dense = matrix.dense.map((column) => {
    const taken = new Float64Array(rows);
    for (let i = 0; i < rows; i++) taken[i] = column[i * stride];
    return taken;
  });
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
  return { matrix: new DesignMatrix(rows, dense, groups), shares: taken };
}
