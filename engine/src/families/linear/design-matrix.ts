/**
 * The matrix that the solvers see: n rows, and columns of two sorts.
 *
 * - dense columns: transformed numbers, centred and scaled;
 * - groups of 0/1 columns of which at most one is 1 in a row (one-hot), held as one code a row, so
 *   that a group costs one addition a row however many columns it has.
 *
 * Column order: the dense columns, then the groups' columns in the groups' order. All sums run in
 * row order (dot products in four interleaved parts), so results do not depend on anything else.
 */

export interface CodedGroup {
  /** One a row: which of the group's columns is 1, or -1 for none. */
  readonly codes: Int32Array;
  readonly levels: number;
}

export type DenseCells = Float64Array | Float32Array;

export class DesignMatrix {
  readonly rows: number;
  readonly denseColumns: number;
  /** One array of `rows` numbers a dense column. */
  readonly dense: readonly DenseCells[];
  readonly groups: readonly CodedGroup[];
  /** First column of each group. */
  readonly groupStarts: readonly number[];
  readonly columns: number;

  constructor(rows: number, dense: readonly DenseCells[], groups: readonly CodedGroup[]) {
    this.rows = rows;
    this.dense = dense;
    this.denseColumns = dense.length;
    this.groups = groups;
    const starts: number[] = [];
    let next = this.denseColumns;
    for (const group of groups) {
      starts.push(next);
      next += group.levels;
    }
    this.groupStarts = starts;
    this.columns = next;
  }

  /** out = offset + X · coefficients; `coefficients` has one number a column. */
  multiply(coefficients: Float64Array, offset: number, out: Float64Array): void {
    const { rows } = this;
    out.fill(offset);
    for (let j = 0; j < this.denseColumns; j++) {
      const b = coefficients[j];
      if (b === 0) continue;
      const x = this.dense[j];
      for (let i = 0; i < rows; i++) out[i] += b * x[i];
    }
    for (let g = 0; g < this.groups.length; g++) {
      const start = this.groupStarts[g];
      const { codes, levels } = this.groups[g];
      const table = coefficients.subarray(start, start + levels);
      for (let i = 0; i < rows; i++) {
        const code = codes[i];
        if (code >= 0) out[i] += table[code];
      }
    }
  }

  /** out = Xᵀ · residual. */
  transposeMultiply(residual: Float64Array, out: Float64Array): void {
    const { rows } = this;
    out.fill(0);
    for (let j = 0; j < this.denseColumns; j++) out[j] = dot(this.dense[j], residual);
    for (let g = 0; g < this.groups.length; g++) {
      const start = this.groupStarts[g];
      const { codes } = this.groups[g];
      for (let i = 0; i < rows; i++) {
        const code = codes[i];
        if (code >= 0) out[start + code] += residual[i];
      }
    }
  }
}

/** Σ aᵢ bᵢ in four interleaved partial sums, added as (s₀ + s₁) + (s₂ + s₃). */
export function dot(a: DenseCells, b: DenseCells): number {
  const length = a.length;
  const whole = length - (length & 3);
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = 0; i < whole; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (let i = whole; i < length; i++) s0 += a[i] * b[i];
  return s0 + s1 + (s2 + s3);
}
