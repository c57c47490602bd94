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
 * Factors A + ridge·I. Where rounding leaves that indefinite (collinear columns under a tiny
 * ridge), the ridge is raised from the size of the rounding error, tenfold a time, until it holds.
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
    added = Math.max(added * 10, largest * 1e-14, Number.MIN_VALUE * 1e16);
  }
}
