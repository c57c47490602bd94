/**
 * Contributions of features to the means of a Gaussian process: integrated gradients (Sundararajan, Taly & Yan,
 * "Axiomatic attribution for deep networks", ICML 2017) along the straight line from the training rows' mean
 * to a row, by Gauss-Legendre's rule. Codes go along it as vectors of 0 and 1, of which two that differ are √2
 * apart, and their mean is the share of each code.
 */

import { shareOut } from "../arranged-explanation.ts";
import { type Covariance, correlationOf, numberDimensions, type Points } from "./covariance.ts";

/** Nodes in (0, 1) and weights of the rule of 8 points. */
const NODES = [
  [0.1834346424956498, 0.362683783378362],
  [0.525532409916329, 0.3137066458778873],
  [0.7966664774136267, 0.2223810344533745],
  [0.9602898564975363, 0.1012285362903763],
].flatMap(([x, w]) => [[0.5 - x / 2, w / 2] as const, [0.5 + x / 2, w / 2] as const]);

/** The mean of the training rows. */
export interface PathStart {
  /** One a number dimension. */
  readonly numbers: Float64Array;
  /** Code dimensions one after another, the share of each code. */
  readonly shares: Float64Array;
}

export interface ProcessMean {
  readonly covariance: Covariance;
  readonly points: Points;
  /** Those of all rows of `points`, one output after another. */
  readonly weights: Float64Array;
  readonly start: PathStart;
}

export interface DimensionNames {
  /** Of the schema. */
  readonly features: number;
  /** The feature of each dimension. */
  readonly featureOf: readonly number[];
  /** Codes of each code dimension. */
  readonly codeCounts: readonly number[];
}

export interface PathContributions {
  /** One an output. */
  readonly base: Float64Array;
  /** Row-major, rows × features × outputs. */
  readonly contributions: Float64Array;
}

/**
 * In the scale of the weights. Along the path, each dimension's part of a squared distance is
 * a + 2bt + ct², t from 0 to 1.
 *
 * @param means row-major, rows × outputs: what base and contributions add up to
 */
export function pathContributions(
  { covariance, points, weights, start }: ProcessMean,
  asked: Points,
  means: Float64Array,
  { features, featureOf, codeCounts }: DimensionNames,
  exp: (x: number) => number,
): PathContributions {
  const { relevances, smoothness } = covariance;
  const { value, slope } = correlationOf(smoothness, exp);
  const numbers = numberDimensions(points);
  const known = points.rows;
  const outputs = weights.length / known;
  const firstOf = codeCounts.map((_, c) =>
    codeCounts.slice(0, c).reduce((sum, count) => sum + count, 0),
  );
  const shareOf = (c: number, code: number): number => start.shares[firstOf[c] + code];
  const squares = codeCounts.map((count, c) => {
    let sum = 0;
    for (let code = 0; code < count; code++) sum += shareOf(c, code) ** 2;
    return sum;
  });

  // Distances of the training rows from the path's start.
  const away = new Float64Array(known);
  for (let d = 0; d < numbers; d++) {
    for (let j = 0; j < known; j++) {
      away[j] += relevances[d] * (start.numbers[d] - points.numbers[d * known + j]) ** 2;
    }
  }
  codeCounts.forEach((_, c) => {
    for (let j = 0; j < known; j++) {
      const apart = squares[c] - 2 * shareOf(c, points.codes[c * known + j]) + 1;
      away[j] += (relevances[numbers + c] * apart) / 2;
    }
  });
  const base = new Float64Array(outputs);
  for (let j = 0; j < known; j++) {
    const near = value(away[j]);
    for (let k = 0; k < outputs; k++) base[k] += weights[k * known + j] * near;
  }

  const contributions = new Float64Array(asked.rows * features * outputs);
  const dimensions = featureOf.length;
  const turns = new Float64Array(dimensions * known);
  const lengths = new Float64Array(dimensions);
  const turn = new Float64Array(known);
  const slopes = new Float64Array(known);
  const movedSlopes = new Float64Array(known);
  const weighted = new Float64Array(known);
  for (let i = 0; i < asked.rows; i++) {
    turn.fill(0);
    let length = 0;
    for (let d = 0; d < dimensions; d++) {
      const own = turns.subarray(d * known, (d + 1) * known);
      if (d < numbers) {
        const step = asked.numbers[d * asked.rows + i] - start.numbers[d];
        lengths[d] = relevances[d] * step * step;
        for (let j = 0; j < known; j++) {
          own[j] = relevances[d] * step * (start.numbers[d] - points.numbers[d * known + j]);
        }
      } else {
        const c = d - numbers;
        const code = asked.codes[c * asked.rows + i];
        const share = shareOf(c, code);
        const half = relevances[d] / 2;
        lengths[d] = half * (1 - 2 * share + squares[c]);
        for (let j = 0; j < known; j++) {
          const other = points.codes[c * known + j];
          own[j] = half * (share - squares[c] + shareOf(c, other) - (other === code ? 1 : 0));
        }
      }
      length += lengths[d];
      for (let j = 0; j < known; j++) turn[j] += own[j];
    }
    slopes.fill(0);
    movedSlopes.fill(0);
    for (const [t, weight] of NODES) {
      for (let j = 0; j < known; j++) {
        const distance = Math.max(0, away[j] + 2 * t * turn[j] + t * t * length);
        const steep = weight * slope(distance);
        slopes[j] += steep;
        movedSlopes[j] += t * steep;
      }
    }
    for (let k = 0; k < outputs; k++) {
      const own = weights.subarray(k * known, (k + 1) * known);
      const at = i * outputs + k;
      let moved = 0;
      for (let j = 0; j < known; j++) {
        moved += own[j] * movedSlopes[j];
        weighted[j] = own[j] * slopes[j];
      }
      let rest = means[at] - base[k];
      for (let d = 0; d < dimensions; d++) {
        let sum = moved * lengths[d];
        for (let j = 0; j < known; j++) sum += weighted[j] * turns[d * known + j];
        contributions[(i * features + featureOf[d]) * outputs + k] += 2 * sum;
        rest -= 2 * sum;
      }
      shareOut(rest, contributions, at, features, outputs);
    }
  }
  return { base, contributions };
}
