/**
 * What the labels say of a covariance: the log marginal likelihood of a Gaussian process and its gradient
 * (Rasmussen & Williams 2006, §5.4.1, equations 5.8 and 5.9).
 */

import { factorCholesky, inverseColumns, solveCholesky } from "../../compute/cholesky.ts";
import {
  type Covariance,
  correlationOf,
  lowerDistances,
  numberDimensions,
  type Points,
  type Smoothness,
} from "./covariance.ts";

/** In logarithms: a relevance a dimension (or one of all), the amplitude, the variance of the noise. */
export type LogParameters = Float64Array;

export interface LabelledPoints {
  readonly points: Points;
  /** About 0, of variance about 1: those of all rows, one output after another. */
  readonly labels: Float64Array;
  /** What each row's noise is a multiple of, 1 / its weight; null = all 1. */
  readonly noiseFactors: Float64Array | null;
}

export interface Learning {
  readonly smoothness: Smoothness;
  /** All dimensions have one relevance. */
  readonly shared: boolean;
  readonly exp: (x: number) => number;
}

/**
 * Squared distances of all rows with each other by relevances of 1, which those of a shared one are multiples of: a step
 * then takes no longer however many dimensions there are. A lower triangle, row-major.
 */
export function sharedDistances(points: Points): Float64Array {
  const dimensions = (points.numbers.length + points.codes.length) / points.rows;
  return lowerDistances(points, new Float64Array(dimensions).fill(1));
}

const START_NOISE = 0.1;
const LEAST_NOISE = 1e-5;
/** Mean squared distance of two rows along all dimensions at the start. */
const START_DISTANCE = 1;

export function startOf(dimensions: number, shared: boolean): LogParameters {
  const relevance = Math.log(START_DISTANCE / Math.max(1, dimensions));
  const start = new Float64Array((shared ? 1 : dimensions) + 2).fill(relevance);
  start[start.length - 2] = 0;
  start[start.length - 1] = Math.log(START_NOISE);
  return start;
}

/** @returns the covariance, and the variance of the noise of a row of factor 1 */
export function covarianceOf(
  parameters: LogParameters,
  dimensions: number,
  { smoothness, shared, exp }: Learning,
): { readonly covariance: Covariance; readonly noise: number } {
  const relevances = Float64Array.from({ length: dimensions }, (_, d) =>
    exp(parameters[shared ? 0 : d]),
  );
  const amplitude = exp(parameters[parameters.length - 2]);
  const noise = LEAST_NOISE + exp(parameters[parameters.length - 1]);
  return { covariance: { smoothness, amplitude, relevances }, noise };
}

export interface Evidence {
  /** The log marginal likelihood, without its constant, on average over the outputs, which share the covariance. */
  readonly logLikelihood: number;
  /**
   * Mean square over rows and outputs of what means miss labels by that they were made without (§5.4.2, equation
   * 5.12), each row's by its weight.
   */
  readonly leftOutError: number;
}

/**
 * The gradient of the log likelihood is written into `gradient`.
 *
 * @param apart `sharedDistances` of the points, for a shared relevance; null: they are found anew
 * @returns null where the covariances are not positive definite to working precision
 */
export function evidenceOf(
  { points, labels, noiseFactors }: LabelledPoints,
  parameters: LogParameters,
  learning: Learning,
  gradient: Float64Array,
  apart: Float64Array | null = null,
): Evidence | null {
  const { rows } = points;
  const numbers = numberDimensions(points);
  const dimensions = numbers + points.codes.length / rows;
  const { covariance, noise } = covarianceOf(parameters, dimensions, learning);
  const { amplitude, relevances } = covariance;
  const distances =
    learning.shared && dimensions > 0
      ? (apart ?? sharedDistances(points)).map((each) => relevances[0] * each)
      : lowerDistances(points, relevances);
  const { value, slope } = correlationOf(learning.smoothness, learning.exp);
  const factor = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++) {
    for (let at = i * rows; at <= i * rows + i; at++) factor[at] = amplitude * value(distances[at]);
  }
  for (let i = 0; i < rows; i++) factor[i * rows + i] += noise * (noiseFactors?.[i] ?? 1);
  if (!factorCholesky(factor, rows)) return null;
  const outputs = labels.length / rows;
  const solved = labels.slice();
  for (let k = 0; k < outputs; k++) {
    solveCholesky(factor, rows, solved.subarray(k * rows, (k + 1) * rows));
  }
  let logLikelihood = 0;
  for (let i = 0; i < labels.length; i++) logLikelihood -= (0.5 * labels[i] * solved[i]) / outputs;
  for (let i = 0; i < rows; i++) logLikelihood -= Math.log(factor[i * rows + i]);
  const inverse = lowerInverse(factor, rows);
  let leftOutError = 0;
  for (let at = 0; at < labels.length; at++) {
    const i = at % rows;
    const missed = solved[at] / inverse[i * rows + i];
    leftOutError += missed ** 2 / (labels.length * (noiseFactors?.[i] ?? 1));
  }
  gradient.fill(0);
  const last = gradient.length - 1;
  const products = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    products.fill(0);
    for (let k = 0; k < outputs; k++) {
      const own = solved[k * rows + i] / outputs;
      for (let j = 0; j <= i; j++) products[j] += own * solved[k * rows + j];
    }
    const line = distances.subarray(i * rows, i * rows + i);
    // ½ tr((ααᵀ - K⁻¹) ∂K): pairs stand for two entries, the diagonal for one.
    const own = products[i] - inverse[i * rows + i];
    gradient[last - 1] += 0.5 * own * amplitude;
    gradient[last] += 0.5 * own * (noise - LEAST_NOISE) * (noiseFactors?.[i] ?? 1);
    for (let j = 0; j < i; j++) {
      const weight = products[j] - inverse[i * rows + j];
      gradient[last - 1] += weight * amplitude * value(line[j]);
      const steep = weight * amplitude * slope(line[j]);
      if (learning.shared) gradient[0] += steep * line[j];
      line[j] = steep;
    }
    if (learning.shared) continue;
    for (let d = 0; d < numbers; d++) {
      const start = d * rows;
      const x = points.numbers[start + i];
      let sum = 0;
      for (let j = 0; j < i; j++) {
        const difference = x - points.numbers[start + j];
        sum += line[j] * difference * difference;
      }
      gradient[d] += relevances[d] * sum;
    }
    for (let c = 0; numbers + c < dimensions; c++) {
      const start = c * rows;
      const code = points.codes[start + i];
      let sum = 0;
      for (let j = 0; j < i; j++) if (code !== points.codes[start + j]) sum += line[j];
      gradient[numbers + c] += relevances[numbers + c] * sum;
    }
  }
  return { logLikelihood, leftOutError };
}

/** The lower triangle of (LLᵀ)⁻¹, row-major. */
function lowerInverse(factor: Float64Array, size: number): Float64Array {
  const columns = new Float64Array(size * size);
  const places = Uint32Array.from({ length: size }, (_, k) => k);
  inverseColumns(factor, size, places, (column, k) => columns.set(column, k * size));
  const inverse = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const a = i * size;
    let j = 0;
    for (; j + 3 <= i; j += 4) {
      const b = j * size;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      for (let k = i; k < size; k++) {
        const own = columns[a + k];
        s0 += own * columns[b + k];
        s1 += own * columns[b + size + k];
        s2 += own * columns[b + 2 * size + k];
        s3 += own * columns[b + 3 * size + k];
      }
      inverse[a + j] = s0;
      inverse[a + j + 1] = s1;
      inverse[a + j + 2] = s2;
      inverse[a + j + 3] = s3;
    }
    for (; j <= i; j++) {
      const b = j * size;
      let sum = 0;
      for (let k = i; k < size; k++) sum += columns[a + k] * columns[b + k];
      inverse[a + j] = sum;
    }
  }
  return inverse;
}
