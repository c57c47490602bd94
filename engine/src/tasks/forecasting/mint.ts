/**
 * Minimum trace reconciliation: of all forecasts that sum up, those of the least variance, given the
 * covariance of the errors of forecasts that do not (Wickramasuriya, Athanasopoulos & Hyndman, "Optimal
 * forecast reconciliation for hierarchical and grouped time series through trace minimization", JASA 114,
 * 2019). The covariance is shrunk towards its diagonal (Schäfer & Strimmer, "A shrinkage approach to
 * large-scale covariance matrix estimation", 2005).
 */

import { factorCholesky, solveCholesky } from "../../compute/cholesky.ts";

/** Against a division by nothing, as in `hierarchicalforecast`. */
const TRIFLE = 2e-8;
/** Of the mean variance: series that were never missed would have all the say. */
const LEAST_VARIANCE = 1e-8;

export interface ShrunkCovariance {
  /** Row-major, nodes × nodes. */
  readonly matrix: Float64Array;
  /** λ in [0, 1]: 1 leaves the diagonal alone. */
  readonly shrinkage: number;
}

/**
 * @param errors of each node as many, at least 2
 * @returns null where no node was ever missed
 */
export function shrunkCovariance(errors: readonly Float64Array[]): ShrunkCovariance | null {
  const nodes = errors.length;
  const count = errors[0].length;
  const centred = errors.map((own) => {
    const mean = own.reduce((sum, each) => sum + each, 0) / count;
    return own.map((each) => each - mean);
  });
  const variances = centred.map((own) => own.reduce((sum, each) => sum + each * each, 0) / count);
  const mean = variances.reduce((sum, each) => sum + each, 0) / nodes;
  if (!(mean > 0)) return null;
  const scaled = centred.map((own, i) => {
    const deviation = Math.sqrt(variances[i]);
    return deviation > 0 ? own.map((each) => each / deviation) : own;
  });
  const correlations = new Float64Array(nodes * nodes);
  let [ofVariance, ofSquares] = [0, 0];
  for (let i = 0; i < nodes; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b] = [scaled[i], scaled[j]];
      let [sum, squares] = [0, 0];
      for (let t = 0; t < count; t++) {
        const product = a[t] * b[t];
        sum += product;
        squares += product * product;
      }
      const correlation = sum / count;
      ofVariance += Math.max(0, squares - sum * correlation);
      ofSquares += correlation * correlation;
      correlations[i * nodes + j] = correlation;
    }
  }
  const shrinkage = Math.min(1, ofVariance / (count * (count - 1)) / (ofSquares + TRIFLE));
  const unbiased = count / (count - 1);
  const kept = variances.map((each) => unbiased * Math.max(each, LEAST_VARIANCE * mean));
  const matrix = new Float64Array(nodes * nodes);
  for (let i = 0; i < nodes; i++) {
    matrix[i * nodes + i] = kept[i];
    for (let j = 0; j < i; j++) {
      const deviations = Math.sqrt(variances[i] * variances[j]) * unbiased;
      const value = (1 - shrinkage) * correlations[i * nodes + j] * deviations;
      matrix[i * nodes + j] = value;
      matrix[j * nodes + i] = value;
    }
  }
  return { matrix, shrinkage };
}

/** Variances that grow with the number of series in a sum: where too few errors tell them. */
export function structuralCovariance(
  bottoms: number,
  members: readonly (readonly number[])[],
): Float64Array {
  const nodes = bottoms + members.length;
  const matrix = new Float64Array(nodes * nodes);
  for (let i = 0; i < nodes; i++) {
    matrix[i * nodes + i] = i < bottoms ? 1 : members[i - bottoms].length;
  }
  return matrix;
}

/**
 * What is added to the bottom forecasts for each unit that an aggregate's forecast lies above their sum:
 * J W U (Uᵀ W U)⁻¹ with its sign, of the paper's (10). Uᵀ = [-A I] over bottom series and aggregates.
 *
 * @param covariance W, row-major; bottom series first
 * @returns row-major, bottoms × aggregates; null where W is not positive definite to working precision
 */
export function reconciliationGain(
  covariance: Float64Array,
  bottoms: number,
  members: readonly (readonly number[])[],
): Float64Array | null {
  const aggregates = members.length;
  const nodes = bottoms + aggregates;
  /** Uᵀ W, row-major, aggregates × nodes. */
  const spread = new Float64Array(aggregates * nodes);
  for (const [k, own] of members.entries()) {
    for (let j = 0; j < nodes; j++) {
      let value = covariance[(bottoms + k) * nodes + j];
      for (const b of own) value -= covariance[b * nodes + j];
      spread[k * nodes + j] = value;
    }
  }
  const square = new Float64Array(aggregates * aggregates);
  for (let k = 0; k < aggregates; k++) {
    for (const [l, own] of members.entries()) {
      let value = spread[k * nodes + bottoms + l];
      for (const b of own) value -= spread[k * nodes + b];
      square[k * aggregates + l] = value;
    }
  }
  if (!factorCholesky(square, aggregates)) return null;
  const gain = new Float64Array(bottoms * aggregates);
  for (let b = 0; b < bottoms; b++) {
    const row = gain.subarray(b * aggregates, (b + 1) * aggregates);
    for (let k = 0; k < aggregates; k++) row[k] = -spread[k * nodes + b];
    solveCholesky(square, aggregates, row);
  }
  return gain;
}
