/**
 * One linear map of windows to the steps that follow them, by ridge regression: the exact minimum that
 * training by gradients heads for. The penalty is the one whose map, learned from the earlier windows,
 * forecasts the later ones best.
 */

import { factorRidged, solveCholeskyRows } from "../../compute/cholesky.ts";
import { addLowerProducts } from "../../compute/lower-products.ts";

/** Penalties that are tried, of the mean of the diagonal of the Gram matrix. */
const PENALTIES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/** Windows whose products are summed together, so that the sums are read once for them. */
const BLOCK = 32;

/** Sums of products of windows, and of windows with what followed them. */
export class Moments {
  readonly #width: number;
  readonly #steps: number;
  /** Row-major, of a window with what followed it: the lower triangle. */
  readonly #products: Float64Array;
  /** Row-major, numbers × `BLOCK`: the windows that are not summed yet, beside the same by their weights. */
  readonly #block: Float64Array;
  readonly #weighed: Float64Array;
  #inBlock = 0;
  weight = 0;

  constructor(width: number, steps: number) {
    this.#width = width;
    this.#steps = steps;
    const size = width + steps;
    this.#products = new Float64Array(size * size);
    this.#block = new Float64Array(size * BLOCK);
    this.#weighed = new Float64Array(size * BLOCK);
  }

  add(window: Float64Array, following: Float64Array, weight: number): void {
    const at = this.#inBlock++;
    for (let i = 0; i < this.#width; i++) this.#put(i, at, window[i], weight);
    for (let h = 0; h < this.#steps; h++) this.#put(this.#width + h, at, following[h], weight);
    this.weight += weight;
    if (this.#inBlock === BLOCK) this.#sum();
  }

  #put(place: number, at: number, value: number, weight: number): void {
    this.#block[place * BLOCK + at] = value;
    this.#weighed[place * BLOCK + at] = weight * value;
  }

  #sum(): void {
    if (this.#inBlock === 0) return;
    const size = this.#width + this.#steps;
    const all = { from: 0, to: size };
    addLowerProducts(this.#products, size, all, this.#weighed, this.#block, BLOCK);
    this.#weighed.fill(0);
    this.#inBlock = 0;
  }

  plus(other: Moments): Moments {
    const sum = new Moments(this.#width, this.#steps);
    for (const moments of [this, other]) {
      moments.#sum();
      for (const [i, product] of moments.#products.entries()) sum.#products[i] += product;
      sum.weight += moments.weight;
    }
    return sum;
  }

  /** Row-major, steps × width: the map of the least squares under the penalty. */
  solve(penalty: number): Float64Array {
    this.#sum();
    const [width, steps, size] = [this.#width, this.#steps, this.#width + this.#steps];
    const gram = new Float64Array(width * width);
    let trace = 0;
    for (let i = 0; i < width; i++) {
      gram.set(this.#products.subarray(i * size, i * size + i + 1), i * width);
      trace += gram[i * width + i];
    }
    const factor = factorRidged(gram, width, (penalty * trace) / width);
    const map = new Float64Array(steps * width);
    for (let h = 0; h < steps; h++) {
      const at = (width + h) * size;
      map.set(this.#products.subarray(at, at + width), h * width);
    }
    solveCholeskyRows(factor, width, map);
    return map;
  }

  /** Sum of squared errors of a map on the windows of these moments. */
  errorOf(map: Float64Array): number {
    this.#sum();
    const [width, size] = [this.#width, this.#width + this.#steps];
    const products = this.#products;
    let error = 0;
    for (let h = 0; h < this.#steps; h++) {
      const own = map.subarray(h * width, (h + 1) * width);
      const cross = (width + h) * size;
      error += products[cross + width + h];
      for (let i = 0; i < width; i++) {
        const row = i * size;
        const below = dot(products, row, own, i);
        error += own[i] * (2 * below + products[row + i] * own[i] - 2 * products[cross + i]);
      }
    }
    return error;
  }
}

/** Of the first `count` numbers of `b`, with those of `a` from `at` on. */
function dot(a: Float64Array, at: number, b: Float64Array, count: number): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < count; i += 4) {
    s0 += a[at + i] * b[i];
    s1 += a[at + i + 1] * b[i + 1];
    s2 += a[at + i + 2] * b[i + 2];
    s3 += a[at + i + 3] * b[i + 3];
  }
  for (; i < count; i++) s0 += a[at + i] * b[i];
  return s0 + s1 + (s2 + s3);
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
