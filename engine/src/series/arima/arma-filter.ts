/**
 * The exact likelihood of a stationary ARMA process by the Kalman filter, in the form whose cost per value
 * is linear in the order: the covariance of the state is never formed, since from one step to the next it
 * changes by a matrix of rank one. Morf, Sidhu & Kailath, IEEE Trans. Autom. Control 19(4), 1974; Pearlman,
 * "An algorithm for the exact likelihood of a high-order autoregressive-moving average process", Biometrika
 * 67(1), 1980; Melard's AS 197, Applied Statistics 33(1), 1984. State space form of Harvey, "Forecasting,
 * structural time series models and the Kalman filter", 1989, sec. 3.3.
 */

import { solveLinear } from "./solve-linear.ts";

export interface ArmaFilter {
  /** Sum of squared innovations over their variances (in units of the noise's). */
  readonly squares: number;
  /** Sum of the logarithms of these variances. */
  readonly logs: number;
  /** Of the next values, as many as were asked for. */
  readonly forecasts: Float64Array;
}

/** Relative change of the variance below which the filter is in its steady state. */
const STEADY = 1e-12;

/**
 * @param values less their mean
 * @param ar coefficients of lags 1 … p, stationary
 * @param ma coefficients of lags 1 … q, with a plus
 * @returns null where the autocovariances cannot be told (a root on the circle)
 */
export function filterArma(
  values: Float64Array,
  ar: Float64Array,
  ma: Float64Array,
  horizon = 0,
): ArmaFilter | null {
  const n = values.length;
  const r = Math.max(ar.length, ma.length + 1);
  const phi = new Float64Array(r);
  phi.set(ar);
  const covariances = stateCovariances(phi, ar.length, ma, r);
  if (covariances === null) return null;
  let variance = covariances[0];
  if (!(variance > 0) || !Number.isFinite(variance)) return null;

  // gain = T P Z' (not divided by the variance); change = the vector whose square the covariance changes by.
  const gain = new Float64Array(r);
  advance(phi, covariances, gain);
  const change = gain.slice();
  let factor = -1 / variance;
  let state = new Float64Array(r);
  let next = new Float64Array(r);
  const moved = new Float64Array(r);
  let squares = 0;
  let logs = 0;
  let steady = false;
  for (let t = 0; t < n; t++) {
    const innovation = values[t] - state[0];
    const scaled = innovation / variance;
    squares += innovation * scaled;
    logs += Math.log(variance);
    const first = state[0];
    for (let i = 0; i < r - 1; i++) next[i] = phi[i] * first + state[i + 1] + gain[i] * scaled;
    next[r - 1] = phi[r - 1] * first + gain[r - 1] * scaled;
    [state, next] = [next, state];
    if (steady) continue;
    const lead = change[0];
    const step = factor * lead;
    const before = variance;
    variance += step * lead;
    if (!(variance > 0)) return null;
    advance(phi, change, moved);
    for (let i = 0; i < r; i++) gain[i] += step * moved[i];
    factor += (step * step) / before;
    const weight = lead / variance;
    for (let i = 0; i < r; i++) change[i] = moved[i] - weight * gain[i];
    steady = Math.abs(step * lead) < STEADY * variance && t > r;
  }
  const forecasts = new Float64Array(horizon);
  for (let h = 0; h < horizon; h++) {
    forecasts[h] = state[0];
    advance(phi, state, next);
    [state, next] = [next, state];
  }
  return { squares, logs, forecasts };
}

/** T x of the companion form. */
function advance(phi: Float64Array, x: Float64Array, out: Float64Array): void {
  const r = x.length;
  const first = x[0];
  for (let i = 0; i < r - 1; i++) out[i] = phi[i] * first + x[i + 1];
  out[r - 1] = phi[r - 1] * first;
}

/** Covariances of the state with the process, for noise of variance 1: the first column of P. */
function stateCovariances(
  phi: Float64Array,
  p: number,
  ma: Float64Array,
  r: number,
): Float64Array | null {
  // Weights of past noise in the process.
  const psi = new Float64Array(r);
  psi[0] = 1;
  for (let k = 1; k < r; k++) {
    let sum = k <= ma.length ? ma[k - 1] : 0;
    for (let j = 1; j <= Math.min(k, p); j++) sum += phi[j - 1] * psi[k - j];
    psi[k] = sum;
  }
  const theta = (j: number): number => (j === 0 ? 1 : j <= ma.length ? ma[j - 1] : 0);
  const noise = (k: number): number => {
    let sum = 0;
    for (let j = k; j <= ma.length; j++) sum += theta(j) * psi[j - k];
    return sum;
  };
  // Autocovariances: gamma(k) = sum phi_j gamma(|k - j|) + noise(k). McLeod, Applied Statistics 24(2), 1975.
  const gamma = new Float64Array(r + 1);
  const size = p + 1;
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    matrix[k * size + k] += 1;
    for (let j = 1; j <= p; j++) matrix[k * size + Math.abs(k - j)] -= phi[j - 1];
    right[k] = noise(k);
  }
  if (!solveLinear(matrix, right)) return null;
  gamma.set(right.subarray(0, Math.min(size, r + 1)));
  for (let k = size; k <= r; k++) {
    let sum = noise(k);
    for (let j = 1; j <= p; j++) sum += phi[j - 1] * gamma[k - j];
    gamma[k] = sum;
  }
  const covariances = new Float64Array(r);
  covariances[0] = gamma[0];
  for (let i = 2; i <= r; i++) {
    let sum = 0;
    for (let j = i; j <= r; j++) sum += phi[j - 1] * gamma[j - i + 1] + theta(j - 1) * psi[j - i];
    covariances[i - 1] = sum;
  }
  return covariances;
}
