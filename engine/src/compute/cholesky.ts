/** Cholesky factorisation and solution of small symmetric positive definite systems. */

/**
 * Factors A = LLᵀ (row-major, size × size) in place into its lower triangle.
 * Returns false, with A spoilt, where A is not positive definite to working precision.
 */
export function factorCholesky(a: Float64Array, size: number): boolean {
  for (let i = 0; i < size; i++) {
    const rowI = i * size;
    const scale = a[rowI + i];
    for (let j = 0; j <= i; j++) {
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
