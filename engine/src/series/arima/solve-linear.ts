/** Linear equations by elimination with partial pivoting, in place: small systems of doubles. */

/**
 * @param matrix row-major, n × n; destroyed
 * @param right n values; the solution afterwards
 * @returns false where the matrix is singular
 */
export function solveLinear(matrix: Float64Array, right: Float64Array): boolean {
  const n = right.length;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column + 1; row < n; row++) {
      if (Math.abs(matrix[row * n + column]) > Math.abs(matrix[pivot * n + column])) pivot = row;
    }
    const lead = matrix[pivot * n + column];
    if (!(Math.abs(lead) > 1e-14)) return false;
    if (pivot !== column) {
      for (let k = column; k < n; k++) {
        const held = matrix[column * n + k];
        matrix[column * n + k] = matrix[pivot * n + k];
        matrix[pivot * n + k] = held;
      }
      const held = right[column];
      right[column] = right[pivot];
      right[pivot] = held;
    }
    for (let row = column + 1; row < n; row++) {
      const share = matrix[row * n + column] / lead;
      if (share === 0) continue;
      for (let k = column + 1; k < n; k++) matrix[row * n + k] -= share * matrix[column * n + k];
      right[row] -= share * right[column];
    }
  }
  for (let row = n - 1; row >= 0; row--) {
    let sum = right[row];
    for (let k = row + 1; k < n; k++) sum -= matrix[row * n + k] * right[k];
    right[row] = sum / matrix[row * n + row];
  }
  return true;
}
