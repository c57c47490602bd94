/**
 * One linear map of windows to the steps that follow them, by ridge regression: the exact minimum that
 * training by gradients heads for. The penalty is the one whose map, learned from the earlier windows,
 * forecasts the later ones best.
 */

import { factorRidged, solveCholesky } from "../../compute/cholesky.ts";

/** Penalties that are tried, of the mean of the diagonal of the Gram matrix. */
const PENALTIES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/** Sums of products of windows, and of windows with what followed them. */
export class Moments {
  readonly #width: number;
  readonly #steps: number;
  /** Row-major, width × width: the lower triangle. */
  readonly gram: Float64Array;
  /** Row-major, steps × width. */
  readonly cross: Float64Array;
  /** Of what followed. */
  squares = 0;
  weight = 0;

  constructor(width: number, steps: number) {
    this.#width = width;
    this.#steps = steps;
    this.gram = new Float64Array(width * width);
    this.cross = new Float64Array(steps * width);
  }

  add(window: Float64Array, following: Float64Array, weight: number): void {
    const width = this.#width;
    const { gram, cross } = this;
    for (let i = 0; i < width; i++) {
      const x = weight * window[i];
      if (x === 0) continue;
      const row = i * width;
      for (let j = 0; j <= i; j++) gram[row + j] += x * window[j];
    }
    for (let h = 0; h < this.#steps; h++) {
      const y = weight * following[h];
      this.squares += y * following[h];
      const row = h * width;
      for (let j = 0; j < width; j++) cross[row + j] += y * window[j];
    }
    this.weight += weight;
  }

  plus(other: Moments): Moments {
    const sum = new Moments(this.#width, this.#steps);
    for (const moments of [this, other]) {
      for (let i = 0; i < sum.gram.length; i++) sum.gram[i] += moments.gram[i];
      for (let i = 0; i < sum.cross.length; i++) sum.cross[i] += moments.cross[i];
      sum.squares += moments.squares;
      sum.weight += moments.weight;
    }
    return sum;
  }

  /** Row-major, steps × width: the map of the least squares under the penalty. */
  solve(penalty: number): Float64Array {
    const width = this.#width;
    let trace = 0;
    for (let i = 0; i < width; i++) trace += this.gram[i * width + i];
    const factor = factorRidged(this.gram, width, (penalty * trace) / width);
    const map = this.cross.slice();
    for (let h = 0; h < this.#steps; h++) {
      solveCholesky(factor, width, map.subarray(h * width, (h + 1) * width));
    }
    return map;
  }

  /** Sum of squared errors of a map on the windows of these moments. */
  errorOf(map: Float64Array): number {
    const width = this.#width;
    const { gram } = this;
    let error = this.squares;
    for (let h = 0; h < this.#steps; h++) {
      const own = map.subarray(h * width, (h + 1) * width);
      for (let i = 0; i < width; i++) {
        let product = 0;
        for (let j = 0; j <= i; j++) product += gram[i * width + j] * own[j];
        for (let j = i + 1; j < width; j++) product += gram[j * width + i] * own[j];
        error += own[i] * (product - 2 * this.cross[h * width + i]);
      }
    }
    return error;
  }
}

export interface RidgeMap {
  /** Row-major, steps × width. */
  readonly map: Float64Array;
  readonly penalty: number;
}

/** The map of all windows, under the penalty that `earlier` and `later` speak for. */
export function fitRidgeMap(earlier: Moments, later: Moments): RidgeMap {
  let [penalty, least] = [PENALTIES[PENALTIES.length >> 1], Number.POSITIVE_INFINITY];
  if (earlier.weight > 0 && later.weight > 0) {
    for (const each of PENALTIES) {
      const error = later.errorOf(earlier.solve(each));
      if (error < least) [penalty, least] = [each, error];
    }
  }
  return { map: earlier.plus(later).solve(penalty), penalty };
}
