/**
 * Penalised quadratics by coordinate descent with covariance updates (Friedman, Hastie,
 * Tibshirani, "Regularization paths for generalized linear models via coordinate descent",
 * J. Stat. Softw. 33(1), 2010, §2.2).
 *
 * Coordinate descent finds which coefficients are not zero and their signs; on those the optimum
 * solves a linear system, which is then solved directly. That ends the slow tail that collinear
 * columns give coordinate descent.
 */

import { factorCholesky, solveCholesky } from "../../../compute/cholesky.ts";
import { shrink, violation } from "./problem.ts";

const SWEEPS_BETWEEN_POLISHES = 10;
/** Coefficients that may leave for 0 in one polish. */
const POLISH_ROUNDS = 20;

export interface DescentLimits {
  /** Largest violation of the optimality conditions allowed. */
  readonly tolerance: number;
  /** Multiply-adds that may be spent; what is reached by then is returned. */
  readonly work: number;
}

/** minimise ½ bᵀGb - mᵀb + l2/2 · Σ b² + l1 · Σ |b|, b within `signs` */
export interface PenalisedQuadratic {
  /** G: row-major, symmetric, positive semidefinite. */
  readonly gram: Float64Array;
  /** m */
  readonly moment: Float64Array;
  readonly l1: number;
  readonly l2: number;
  readonly signs: Int8Array | null;
}

export interface QuadraticMinimum {
  readonly coefficients: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
  /** Multiply-adds spent. */
  readonly work: number;
}

export function coordinateDescent(
  quadratic: PenalisedQuadratic,
  start: Float64Array,
  { tolerance, work: limit }: DescentLimits = { tolerance: 1e-10, work: 3e8 },
): QuadraticMinimum {
  const { gram, moment, l1, l2, signs } = quadratic;
  const size = moment.length;
  const b = start.slice();
  /** G b, kept up to date. */
  const product = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    if (b[j] === 0) continue;
    const row = gram.subarray(j * size, (j + 1) * size);
    for (let k = 0; k < size; k++) product[k] += b[j] * row[k];
  }
  const worst = (): number => {
    let largest = 0;
    for (let j = 0; j < size; j++) {
      const slope = product[j] - moment[j] + l2 * b[j];
      largest = Math.max(largest, violation(slope, b[j], l1, signs?.[j] ?? 0));
    }
    return largest;
  };
  let work = 0;
  let sweeps = 0;
  while (work < limit) {
    let changed = 0;
    for (let j = 0; j < size; j++) {
      const diagonal = gram[j * size + j];
      const curvature = diagonal + l2;
      if (!(curvature > 0)) continue;
      const old = b[j];
      const pull = moment[j] - product[j] + diagonal * old;
      const next = shrink(pull, l1, curvature, signs?.[j] ?? 0);
      const step = next - old;
      if (step === 0) continue;
      b[j] = next;
      const row = gram.subarray(j * size, (j + 1) * size);
      for (let k = 0; k < size; k++) product[k] += step * row[k];
      changed = Math.max(changed, curvature * Math.abs(step));
      work += size;
    }
    work += size;
    sweeps++;
    if (changed <= tolerance && worst() <= tolerance) {
      return { coefficients: b, iterations: sweeps, converged: true, work };
    }
    if (sweeps % SWEEPS_BETWEEN_POLISHES === 0) {
      for (let round = 0; round < POLISH_ROUNDS; round++) {
        const { spent, left } = polish(quadratic, b, product, limit - work);
        work += spent;
        if (!left) break;
      }
      if (worst() <= tolerance)
        return { coefficients: b, iterations: sweeps, converged: true, work };
    }
  }
  return { coefficients: b, iterations: sweeps, converged: false, work };
}

/**
 * Moves the non-zero coefficients to the optimum of their own linear system, as far as none
 * changes its sign; `left` says that one did, and is now 0. `spent` counts multiply-adds.
 */
function polish(
  { gram, moment, l1, l2, signs }: PenalisedQuadratic,
  b: Float64Array,
  product: Float64Array,
  budget: number,
): { spent: number; left: boolean } {
  const size = b.length;
  const active: number[] = [];
  for (let j = 0; j < size; j++) if (b[j] !== 0) active.push(j);
  const count = active.length;
  const spent = count ** 3 / 3 + size * count;
  if (count === 0 || spent > budget) return { spent: 0, left: false };
  const factor = new Float64Array(count * count);
  const step = new Float64Array(count);
  for (let r = 0; r < count; r++) {
    const j = active[r];
    for (let c = 0; c <= r; c++) factor[r * count + c] = gram[j * size + active[c]];
    factor[r * count + r] += l2;
    step[r] = moment[j] - product[j] - l2 * b[j] - l1 * Math.sign(b[j]);
  }
  if (!factorCholesky(factor, count)) return { spent, left: false };
  solveCholesky(factor, count, step);
  let length = 1;
  let leaving = -1;
  for (let r = 0; r < count; r++) {
    const crosses = -b[active[r]] / step[r];
    if (crosses > 0 && crosses < length) {
      length = crosses;
      leaving = r;
    }
  }
  for (let r = 0; r < count; r++) {
    const j = active[r];
    const next = r === leaving ? 0 : b[j] + length * step[r];
    const sign = signs?.[j] ?? 0;
    const moved = (sign > 0 && next < 0) || (sign < 0 && next > 0) ? 0 : next;
    const change = moved - b[j];
    b[j] = moved;
    const row = gram.subarray(j * size, (j + 1) * size);
    for (let k = 0; k < size; k++) product[k] += change * row[k];
  }
  return { spent, left: leaving >= 0 };
}
