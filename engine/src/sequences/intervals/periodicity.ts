/**
 * The first lag at which a series repeats: the first peak of the autocovariance of what a smooth trend leaves
 * that is positive and at least 0.01 above the trough before it (Wang, Wirth & Wang 2007, "Structure-based
 * statistical features and multivariate time series clustering", ICDM; PD_PeriodicityWang of catch22 as the
 * authors' library computes it).
 */

const LEAST_RISE = 0.01;

/** @param values of standard deviation 1; @returns 0 where there is no such lag */
export function firstPeriod(values: Float64Array): number {
  const left = detrended(values);
  const lags = Math.ceil(values.length / 3);
  const covariance = Float64Array.from({ length: lags }, (_, i) => {
    const count = left.length - i - 1;
    let sum = 0;
    for (let t = 0; t < count; t++) sum += left[t] * left[t + i + 1];
    return sum / count;
  });
  let trough: number | null = null;
  for (let i = 1; i < lags - 1; i++) {
    const before = covariance[i] - covariance[i - 1];
    const after = covariance[i + 1] - covariance[i];
    if (before < 0 && after > 0) trough = covariance[i];
    const isPeak = before > 0 && after < 0;
    if (!isPeak || trough === null) continue;
    if (covariance[i] >= 0 && covariance[i] - trough >= LEAST_RISE) return i + 1;
  }
  return 0;
}

/** Less the cubic spline of two pieces of least squares, which meet at the middle. */
function detrended(values: Float64Array): Float64Array {
  const { length } = values;
  const middle = Math.floor(length / 2) - 1;
  const scale = Math.max(1, length - 1 - middle);
  const place = (t: number): number => (t - middle) / scale;
  const bases = [
    () => 1,
    (t: number) => place(t),
    (t: number) => place(t) ** 2,
    (t: number) => place(t) ** 3,
    (t: number) => Math.max(0, place(t)) ** 3,
  ];
  const directions: Float64Array[] = [];
  for (const basis of bases) {
    const column = Float64Array.from({ length }, (_, t) => basis(t));
    const own = Math.sqrt(dot(column, column));
    // Twice, since the powers are much alike.
    for (const direction of [...directions, ...directions]) takeOut(column, direction);
    const size = Math.sqrt(dot(column, column));
    // Of few steps the bases say the same.
    if (size > 1e-9 * own) directions.push(column.map((value) => value / size));
  }
  const left = values.slice();
  for (const direction of directions) takeOut(left, direction);
  return left;
}

function takeOut(values: Float64Array, direction: Float64Array): void {
  const share = dot(values, direction);
  for (let t = 0; t < values.length; t++) values[t] -= share * direction[t];
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let t = 0; t < one.length; t++) sum += one[t] * other[t];
  return sum;
}
