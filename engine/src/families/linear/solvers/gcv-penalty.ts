/**
 * The ridge penalty of least generalised cross-validation (Golub, Heath & Wahba, "Generalized cross-validation as a
 * method for choosing a good ridge parameter", Technometrics 21(2), 1979), with each degree of freedom counted 1.4
 * times, as plain GCV now and then follows the noise (Kim & Gu, "Smoothing spline Gaussian regression", JRSS B 66(2),
 * 2004, §3.2).
 *
 * The Gram matrix is made tridiagonal once; then a penalty costs as much as a few passes over the diagonal (Eldén, "A
 * note on the computation of the generalized cross-validation function for ill-conditioned least squares problems",
 * BIT 24, 1984).
 */

/** What one degree of freedom counts. */
const INFLATION = 1.4;
/** Penalties that are looked at, of the mean variance of a column. */
const LEAST = 1e-12;
const MOST = 1e2;
const STEPS_PER_DECADE = 4;
/** Of the target's variance: residuals below are rounding. */
const ROUNDING = 1e-13;
/**
 * The largest penalty whose score is so near to the least: where the score is flat, a small one only lets columns that
 * tell few rows apart grow, and those that come later are far off.
 */
const NEAR_LEAST = 1.002;

export interface CentredEquations {
  /** Row-major, size × size: XᵀUX of centred columns. */
  readonly gram: Float64Array;
  /** XᵀUy of the centred target. */
  readonly moment: Float64Array;
  /** yᵀUy of the centred target. */
  readonly variance: number;
  /** How many rows of one weight say as much as the weighted ones. */
  readonly rows: number;
}

export interface ChosenPenalty {
  /** What is added to the diagonal of the Gram matrix, above 0. */
  readonly penalty: number;
  /** Of the target's variance, what it is expected to leave unexplained of other rows: the score. */
  readonly unexplained: number;
}

export function gcvPenalty(equations: CentredEquations): ChosenPenalty {
  const { diagonal, below, moment } = tridiagonalise(equations);
  const { variance, rows } = equations;
  const size = moment.length;
  const scale = diagonal.reduce((sum, each) => sum + each, 0) / size;
  if (!(scale > 0 && variance > 0)) return { penalty: MOST, unexplained: 1 };
  const tried: { readonly penalty: number; readonly score: number }[] = [];
  const steps = Math.round(Math.log10(MOST / LEAST) * STEPS_PER_DECADE);
  for (let step = 0; step <= steps; step++) {
    const penalty = scale * MOST * 10 ** (-step / STEPS_PER_DECADE);
    const { explained, freedom } = ridgeAt(diagonal, below, moment, penalty);
    const rest = 1 - (INFLATION * (1 + freedom)) / rows;
    if (rest <= 0) break;
    const score = Math.max(variance - explained, ROUNDING * variance) / (rest * rest);
    tried.push({ penalty, score });
  }
  const least = tried.reduce((low, { score }) => Math.min(low, score), Number.POSITIVE_INFINITY);
  const chosen = tried.find(({ score }) => score <= NEAR_LEAST * least);
  return chosen
    ? { penalty: chosen.penalty, unexplained: chosen.score / variance }
    : { penalty: MOST * scale, unexplained: 1 };
}

/** For T + penalty: 2 bᵀm - bᵀTb, which the residuals' variance is less by, and the trace of T (T + penalty)⁻¹. */
function ridgeAt(
  diagonal: Float64Array,
  below: Float64Array,
  moment: Float64Array,
  penalty: number,
): { readonly explained: number; readonly freedom: number } {
  const size = diagonal.length;
  // T + penalty = L D Lᵀ, and from the other end U E Uᵀ: the inverse's diagonal is 1 / (Dᵢ + Eᵢ - Tᵢ - penalty).
  const down = new Float64Array(size);
  const b = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const ratio = i === 0 ? 0 : below[i - 1] / down[i - 1];
    down[i] = diagonal[i] + penalty - (i === 0 ? 0 : ratio * below[i - 1]);
    b[i] = moment[i] - (i === 0 ? 0 : ratio * b[i - 1]);
  }
  let explained = 0;
  let freedom = size;
  let up = 0;
  for (let i = size - 1; i >= 0; i--) {
    const isLast = i === size - 1;
    const own = diagonal[i] + penalty;
    up = own - (isLast ? 0 : (below[i] * below[i]) / up);
    b[i] = (b[i] - (isLast ? 0 : below[i] * b[i + 1])) / down[i];
    explained += b[i] * (moment[i] + penalty * b[i]);
    freedom -= penalty / (down[i] + up - own);
  }
  return { explained, freedom };
}

interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** size - 1 numbers. */
  readonly below: Float64Array;
  readonly moment: Float64Array;
}

/**
 * Q A Qᵀ and Q m, Q a product of Householder reflections (Golub & Van Loan, "Matrix Computations", 4th ed., algorithm
 * 8.3.1). Of A the lower triangle is read.
 */
function tridiagonalise({ gram, moment: given }: CentredEquations): Tridiagonal {
  const a = gram.slice();
  const moment = given.slice();
  const size = moment.length;
  const below = new Float64Array(Math.max(0, size - 1));
  const v = new Float64Array(size);
  const w = new Float64Array(size);
  for (let k = 0; k + 1 < size; k++) {
    let square = 0;
    for (let i = k + 1; i < size; i++) {
      v[i] = a[i * size + k];
      square += v[i] * v[i];
    }
    const head = v[k + 1];
    below[k] = head > 0 ? -Math.sqrt(square) : Math.sqrt(square);
    v[k + 1] = head - below[k];
    const half = square - head * below[k];
    if (half === 0) continue;
    // A - v wᵀ - w vᵀ with w = p - (vᵀp / 2 half) v, p = A v / half
    w.fill(0);
    for (let i = k + 1; i < size; i++) {
      const row = i * size;
      let sum = a[row + i] * v[i];
      for (let j = k + 1; j < i; j++) {
        sum += a[row + j] * v[j];
        w[j] += a[row + j] * v[i];
      }
      w[i] += sum;
    }
    let along = 0;
    let onto = 0;
    for (let i = k + 1; i < size; i++) {
      w[i] /= half;
      along += w[i] * v[i];
      onto += moment[i] * v[i];
    }
    for (let i = k + 1; i < size; i++) {
      w[i] -= (along / (2 * half)) * v[i];
      moment[i] -= (onto / half) * v[i];
    }
    for (let i = k + 1; i < size; i++) {
      const row = i * size;
      for (let j = k + 1; j <= i; j++) a[row + j] -= v[i] * w[j] + w[i] * v[j];
    }
  }
  return { diagonal: given.map((_, i) => a[i * (size + 1)]), below, moment };
}
