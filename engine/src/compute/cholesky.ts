/** Cholesky factorisation and solution of small symmetric positive definite systems. */

/**
 * Factors A = LLᵀ (row-major, size × size) in place into its lower triangle.
 * Returns false, with A spoilt, where A is not positive definite to working precision.
 */
export function factorCholesky(a: Float64Array, size: number): boolean {
  for (let i = 0; i < size; i += 4) {
    const whole = i + 3 < size;
    if (whole) for (let j = 0; j < i; j++) fourBelow(a, size, i, j);
    for (let row = i; row < Math.min(i + 4, size); row++) {
      if (!factorRow(a, size, row, whole ? i : 0)) return false;
    }
  }
  return true;
}

/** Cells of column `j` in four rows from `i` on, so that no sum waits for itself; the bits are those of `factorRow`. */
function fourBelow(a: Float64Array, size: number, i: number, j: number): void {
  const rowJ = j * size;
  const row0 = i * size;
  const row1 = row0 + size;
  const row2 = row1 + size;
  const row3 = row2 + size;
  let s00 = 0;
  let s01 = 0;
  let s10 = 0;
  let s11 = 0;
  let s20 = 0;
  let s21 = 0;
  let s30 = 0;
  let s31 = 0;
  let k = 0;
  for (; k + 1 < j; k += 2) {
    const even = a[rowJ + k];
    const odd = a[rowJ + k + 1];
    s00 += a[row0 + k] * even;
    s01 += a[row0 + k + 1] * odd;
    s10 += a[row1 + k] * even;
    s11 += a[row1 + k + 1] * odd;
    s20 += a[row2 + k] * even;
    s21 += a[row2 + k + 1] * odd;
    s30 += a[row3 + k] * even;
    s31 += a[row3 + k + 1] * odd;
  }
  if (k < j) {
    const even = a[rowJ + k];
    s00 += a[row0 + k] * even;
    s10 += a[row1 + k] * even;
    s20 += a[row2 + k] * even;
    s30 += a[row3 + k] * even;
  }
  const pivot = a[rowJ + j];
  a[row0 + j] = (a[row0 + j] - (s00 + s01)) / pivot;
  a[row1 + j] = (a[row1 + j] - (s10 + s11)) / pivot;
  a[row2 + j] = (a[row2 + j] - (s20 + s21)) / pivot;
  a[row3 + j] = (a[row3 + j] - (s30 + s31)) / pivot;
}

/** Cells of row `i` from column `from` to its diagonal; those before are known. */
function factorRow(a: Float64Array, size: number, i: number, from: number): boolean {
  const rowI = i * size;
  const scale = a[rowI + i];
  for (let j = from; j <= i; j++) {
    const rowJ = j * size;
    let s0 = 0;
    let s1 = 0;
    let k = 0;
    for (; k + 1 < j; k += 2) {
      s0 += a[rowI + k] * a[rowJ + k];
      s1 += a[rowI + k + 1] * a[rowJ + k + 1];
    }
    if (k < j) s0 += a[rowI + k] * a[rowJ + k];
    const rest = a[rowI + j] - (s0 + s1);
    if (j < i) a[rowI + j] = rest / a[rowJ + j];
    else if (rest > scale * 1e-15 && Number.isFinite(rest)) a[rowI + i] = Math.sqrt(rest);
    else return false;
  }
  return true;
}

/** Solves LLᵀx = b in place, L as `factorCholesky` leaves it. */
export function solveCholesky(factor: Float64Array, size: number, b: Float64Array): void {
  for (let i = 0; i < size; i++) {
    let sum = b[i];
    for (let k = 0; k < i; k++) sum -= factor[i * size + k] * b[k];
    b[i] = sum / factor[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    const value = b[i] / factor[i * size + i];
    b[i] = value;
    for (let k = 0; k < i; k++) b[k] -= factor[i * size + k] * value;
  }
}

/**
 * The same of each row of `rows`, four at a time so that each row of the factor is read once for them, and no sum
 * waits for itself. What comes out are the bits of `solveCholesky`.
 *
 * @param rows row-major, `size` numbers each
 */
export function solveCholeskyRows(factor: Float64Array, size: number, rows: Float64Array): void {
  const count = rows.length / size;
  let row = 0;
  for (; row + 3 < count; row += 4) solveFour(factor, size, rows, row * size);
  for (; row < count; row++) {
    solveCholesky(factor, size, rows.subarray(row * size, (row + 1) * size));
  }
}

function solveFour(factor: Float64Array, size: number, rows: Float64Array, first: number): void {
  const [b0, b1, b2, b3] = [0, 1, 2, 3].map((at) => first + at * size);
  for (let i = 0; i < size; i++) {
    const own = i * size;
    let s0 = rows[b0 + i];
    let s1 = rows[b1 + i];
    let s2 = rows[b2 + i];
    let s3 = rows[b3 + i];
    for (let k = 0; k < i; k++) {
      const cell = factor[own + k];
      s0 -= cell * rows[b0 + k];
      s1 -= cell * rows[b1 + k];
      s2 -= cell * rows[b2 + k];
      s3 -= cell * rows[b3 + k];
    }
    const pivot = factor[own + i];
    rows[b0 + i] = s0 / pivot;
    rows[b1 + i] = s1 / pivot;
    rows[b2 + i] = s2 / pivot;
    rows[b3 + i] = s3 / pivot;
  }
  for (let i = size - 1; i >= 0; i--) {
    const own = i * size;
    const pivot = factor[own + i];
    const v0 = rows[b0 + i] / pivot;
    const v1 = rows[b1 + i] / pivot;
    const v2 = rows[b2 + i] / pivot;
    const v3 = rows[b3 + i] / pivot;
    rows[b0 + i] = v0;
    rows[b1 + i] = v1;
    rows[b2 + i] = v2;
    rows[b3 + i] = v3;
    for (let k = 0; k < i; k++) {
      const cell = factor[own + k];
      rows[b0 + k] -= cell * v0;
      rows[b1 + k] -= cell * v1;
      rows[b2 + k] -= cell * v2;
      rows[b3 + k] -= cell * v3;
    }
  }
}

/**
 * Columns of L⁻¹, four at a time so that each row of the factor is read once for them.
 *
 * @param places of the columns, ascending
 * @param take is given each column, 0 above its place, in an array that the next ones overwrite
 */
export function inverseColumns(
  factor: Float64Array,
  size: number,
  places: Uint32Array,
  take: (column: Float64Array, place: number) => void,
): void {
  const [c0, c1, c2, c3] = Array.from({ length: 4 }, () => new Float64Array(size));
  for (let group = 0; group < places.length; group += 4) {
    const p0 = places[group];
    const [p1, p2, p3] = [1, 2, 3].map((at) => places[Math.min(group + at, places.length - 1)]);
    for (const column of [c0, c1, c2, c3]) column.fill(0, 0, p0);
    for (let i = p0; i < size; i++) {
      const row = i * size;
      let s0 = i === p0 ? -1 : 0;
      let s1 = i === p1 ? -1 : 0;
      let s2 = i === p2 ? -1 : 0;
      let s3 = i === p3 ? -1 : 0;
      for (let j = p0; j < i; j++) {
        const own = factor[row + j];
        s0 += own * c0[j];
        s1 += own * c1[j];
        s2 += own * c2[j];
        s3 += own * c3[j];
      }
      const pivot = factor[row + i];
      c0[i] = -s0 / pivot;
      c1[i] = -s1 / pivot;
      c2[i] = -s2 / pivot;
      c3[i] = -s3 / pivot;
    }
    take(c0, p0);
    if (group + 1 < places.length) take(c1, p1);
    if (group + 2 < places.length) take(c2, p2);
    if (group + 3 < places.length) take(c3, p3);
  }
}

/**
 * Factors A + ridge·I. Where rounding leaves that indefinite (collinear columns under a tiny
 * ridge), the ridge is raised, tenfold a time, from where rounding hardly tells equal columns apart until it holds.
 */
export function factorRidged(a: Float64Array, size: number, ridge: number): Float64Array {
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, Math.abs(a[i * size + i]));
  let added = ridge;
  for (;;) {
    const factor = a.slice();
    for (let i = 0; i < size; i++) factor[i * size + i] += added;
    if (factorCholesky(factor, size)) return factor;
    if (!Number.isFinite(added) || added > largest * 1e6) {
      throw new RangeError("The normal equations contain a number that is not finite.");
    }
    added = Math.max(added * 10, largest * 1e-11, Number.MIN_VALUE * 1e16);
  }
}
