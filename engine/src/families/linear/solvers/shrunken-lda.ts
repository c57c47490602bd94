/**
 * Linear discriminant analysis whose covariance within classes is drawn towards a multiple of the identity, by as much
 * as Ledoit & Wolf say ("A well-conditioned estimator for large-dimensional covariance matrices", Journal of
 * Multivariate Analysis 88(2), 2004; here of weighted rows). All of it is said by inner products of rows, so that many
 * columns of few rows cost little.
 *
 * Where columns are many, its margins are far too large. They are multiplied by the slope that makes rows most likely
 * which were left out, a fifth of them at a time.
 */

import { factorRidged, solveCholesky } from "../../../compute/cholesky.ts";
import { FitLimits } from "../../fit-limits.ts";
import type { DesignMatrix } from "../design-matrix.ts";
import type { Problem, Solution } from "./problem.ts";

const PARTS = 5;
/** Rounding, beside a mean variance of 1; shrunken by less, the matrix may not be one that can be factored. */
const LEAST_SHRINKAGE = 1e-6;
/** Of the bisection that finds the slope. */
const HALVINGS = 40;

/** Inner products of rows, and what is known of these. */
export interface RowProducts {
  readonly rows: number;
  /** rows × rows. */
  readonly products: Float64Array;
  readonly columns: number;
  /** Of each row, above 0 and summing to 1. */
  readonly shares: Float64Array;
  /** Of each row: its class. */
  readonly labels: ArrayLike<number>;
  readonly classes: number;
}

/** @throws FitStoppedError */
export function solveShrunkenLda(
  { matrix, shares, limits = new FitLimits() }: Omit<Problem, "loss">,
  labels: ArrayLike<number>,
  classes: number,
): Solution {
  const { rows, columns } = matrix;
  const products = rowProducts(matrix, limits);
  const all = { rows, products, columns, shares, labels, classes };
  limits.begin();
  const slope = slopeOf(all, leftOutMargins(all, limits));
  const { weights, intercepts, priors } = discriminants(all);
  const outputs = classes === 2 ? 1 : classes;
  const coefficients = new Float64Array(outputs * columns);
  const of = (k: number): Float64Array => weights.subarray(k * rows, (k + 1) * rows);
  const own = new Float64Array(columns);
  const told = new Float64Array(outputs);
  for (let k = 0; k < outputs; k++) {
    // Of two classes, the second beside the first.
    const combined = classes === 2 ? of(1).map((value, i) => value - of(0)[i]) : of(k);
    matrix.transposeMultiply(
      combined.map((value) => slope * value),
      own,
    );
    coefficients.set(own, k * columns);
    const prior = Math.log(priors[classes === 2 ? 1 : k]);
    told[k] = prior + slope * (intercepts[classes === 2 ? 1 : k] - prior);
    if (classes === 2) {
      const other = Math.log(priors[0]);
      told[k] -= other + slope * (intercepts[0] - other);
    }
  }
  return { coefficients, intercepts: told, iterations: 1, converged: true };
}

function rowProducts(matrix: DesignMatrix, limits: FitLimits): Float64Array {
  const { rows } = matrix;
  const products = new Float64Array(rows * rows);
  const cells = new Float64Array(matrix.columns);
  const one = new Float64Array(rows);
  const line = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    limits.throwIfOver();
    one[i] = 1;
    matrix.transposeMultiply(one, cells);
    one[i] = 0;
    matrix.multiply(cells, 0, line);
    products.set(line, i * rows);
  }
  return products;
}

export interface Discriminants {
  /** Class-major: what of each row a class's direction is made of. */
  readonly weights: Float64Array;
  /** Of each class: of rows as they are, with the logarithm of its share. */
  readonly intercepts: Float64Array;
  /** Shares of the classes, above 0. */
  readonly priors: Float64Array;
  readonly shrinkage: number;
}

export function discriminants(all: RowProducts): Discriminants {
  const { rows, products, columns, shares, labels, classes } = all;
  const priors = new Float64Array(classes);
  for (let i = 0; i < rows; i++) priors[labels[i]] += shares[i];
  const means = classMeans(all, priors);
  /** Of rows less the means of their classes, each times the root of its share. */
  const within = withinProducts(products, means, labels, shares);
  let trace = 0;
  let square = 0;
  let scatter = 0;
  let squaredShares = 0;
  for (let i = 0; i < rows; i++) {
    const norm = within[i * (rows + 1)];
    let line = 0;
    for (let j = 0; j < rows; j++) line += within[i * rows + j] ** 2;
    trace += norm;
    square += line;
    scatter += norm * norm - 2 * shares[i] * line;
    squaredShares += shares[i] * shares[i];
  }
  scatter += square * squaredShares;
  const mean = trace / columns;
  const distance = square - columns * mean * mean;
  const shrinkage =
    distance > 0 ? Math.max(LEAST_SHRINKAGE, Math.min(1, Math.max(0, scatter) / distance)) : 1;
  // The covariance is kept · within + ridge · identity.
  const ridge = Math.max(shrinkage * mean, LEAST_SHRINKAGE * meanSquare(all)) || 1;
  const kept = 1 - shrinkage;
  const factor = kept > 0 ? factorRidged(within, rows, ridge / kept) : null;
  const roots = shares.map(Math.sqrt);
  const weights = new Float64Array(classes * rows);
  const intercepts = new Float64Array(classes);
  for (let k = 0; k < classes; k++) {
    // The class's mean beside that of all rows, as a sum of rows.
    const mixed = Float64Array.from(shares, (share, i) => means[k * rows + i] - share);
    if (priors[k] === 0) mixed.fill(0);
    const along = multiplied(products, mixed, rows);
    const own = weights.subarray(k * rows, (k + 1) * rows);
    own.set(mixed);
    if (factor) {
      const projected = Float64Array.from(
        lessClassMeans(along, means, labels, rows),
        (value, i) => roots[i] * value,
      );
      solveCholesky(factor, rows, projected);
      const back = Float64Array.from(projected, (value, i) => roots[i] * value);
      const held = transposedLessClassMeans(back, means, labels, rows, classes);
      for (let i = 0; i < rows; i++) own[i] -= held[i];
    }
    for (let i = 0; i < rows; i++) own[i] /= ridge;
    const image = multiplied(products, own, rows);
    let half = 0;
    let atMean = 0;
    for (let i = 0; i < rows; i++) {
      half += mixed[i] * image[i];
      atMean += shares[i] * image[i];
    }
    priors[k] = Math.max(priors[k], 1e-9);
    intercepts[k] = Math.log(priors[k]) - half / 2 - atMean;
  }
  return { weights, intercepts, priors, shrinkage };
}

/** Of a cell: what no row differs in of its class has no variance to be drawn to. */
function meanSquare({ rows, products, columns, shares }: RowProducts): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) sum += shares[i] * products[i * (rows + 1)];
  return sum / columns;
}

/** Class-major, classes × rows: the rows' parts of each class's mean. */
function classMeans({ rows, shares, labels, classes }: RowProducts, priors: Float64Array) {
  const means = new Float64Array(classes * rows);
  for (let i = 0; i < rows; i++) means[labels[i] * rows + i] = shares[i] / priors[labels[i]];
  return means;
}

function multiplied(products: Float64Array, vector: Float64Array, rows: number): Float64Array {
  const out = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < rows; j++) sum += products[i * rows + j] * vector[j];
    out[i] = sum;
  }
  return out;
}

/** What rows have of a vector, less what the means of their classes have. */
function lessClassMeans(
  along: Float64Array,
  means: Float64Array,
  labels: ArrayLike<number>,
  rows: number,
): Float64Array {
  const ofClass = new Float64Array(means.length / rows);
  for (let i = 0; i < rows; i++) ofClass[labels[i]] += means[labels[i] * rows + i] * along[i];
  return along.map((value, i) => value - ofClass[labels[i]]);
}

/** The transpose of the same. */
function transposedLessClassMeans(
  vector: Float64Array,
  means: Float64Array,
  labels: ArrayLike<number>,
  rows: number,
  classes: number,
): Float64Array {
  const sums = new Float64Array(classes);
  for (let i = 0; i < rows; i++) sums[labels[i]] += vector[i];
  return vector.map((value, i) => value - means[labels[i] * rows + i] * sums[labels[i]]);
}

function withinProducts(
  products: Float64Array,
  means: Float64Array,
  labels: ArrayLike<number>,
  shares: Float64Array,
): Float64Array {
  const rows = shares.length;
  const half = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++) {
    const line = products.subarray(i * rows, (i + 1) * rows);
    half.set(lessClassMeans(line, means, labels, rows), i * rows);
  }
  const within = new Float64Array(rows * rows);
  const column = new Float64Array(rows);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < rows; i++) column[i] = half[i * rows + j];
    const centred = lessClassMeans(column, means, labels, rows);
    for (let i = 0; i < rows; i++)
      within[i * rows + j] = Math.sqrt(shares[i] * shares[j]) * centred[i];
  }
  return within;
}

/** Row-major, rows × classes: of each row by the others of four parts of five, without the logarithms of shares. */
function leftOutMargins(all: RowProducts, limits: FitLimits): Float64Array {
  const { rows, products, labels, shares, classes } = all;
  const margins = new Float64Array(rows * classes);
  const seen = new Uint32Array(classes);
  // Every fifth row of each class, so that each part has some of all.
  const partOf = Uint8Array.from({ length: rows }, (_, i) => seen[labels[i]]++ % PARTS);
  for (let part = 0; part < PARTS; part++) {
    limits.throwIfOver();
    const known = [...partOf.keys()].filter((i) => partOf[i] !== part);
    const total = known.reduce((sum, i) => sum + shares[i], 0);
    if (known.length === rows || !(total > 0)) continue;
    const found = discriminants({
      ...all,
      rows: known.length,
      products: Float64Array.from(
        { length: known.length ** 2 },
        (_, at) => products[known[Math.floor(at / known.length)] * rows + known[at % known.length]],
      ),
      shares: Float64Array.from(known, (i) => shares[i] / total),
      labels: known.map((i) => labels[i]),
    });
    for (let i = 0; i < rows; i++) {
      if (partOf[i] !== part) continue;
      for (let k = 0; k < classes; k++) {
        let margin = found.intercepts[k] - Math.log(found.priors[k]);
        for (const [place, j] of known.entries()) {
          margin += found.weights[k * known.length + place] * products[i * rows + j];
        }
        margins[i * classes + k] = margin;
      }
    }
  }
  return margins;
}

/** That makes the labels of left-out rows most likely, which are a little unsure: none is endless. */
function slopeOf({ rows, shares, labels, classes }: RowProducts, margins: Float64Array): number {
  const priors = new Float64Array(classes).fill(1e-9);
  for (let i = 0; i < rows; i++) priors[labels[i]] += shares[i];
  const smoothing = 1 / (rows + 1);
  const said = new Float64Array(classes);
  /** Of the log loss by the slope, in which it is convex. */
  const derivative = (slope: number): number => {
    let sum = 0;
    for (let i = 0; i < rows; i++) {
      const own = margins.subarray(i * classes, (i + 1) * classes);
      let largest = Number.NEGATIVE_INFINITY;
      for (let k = 0; k < classes; k++) {
        said[k] = Math.log(priors[k]) + slope * own[k];
        largest = Math.max(largest, said[k]);
      }
      let all = 0;
      for (let k = 0; k < classes; k++) {
        said[k] = Math.exp(said[k] - largest);
        all += said[k];
      }
      for (let k = 0; k < classes; k++) {
        const label = (1 - smoothing) * Number(labels[i] === k) + smoothing * priors[k];
        sum += shares[i] * (said[k] / all - label) * own[k];
      }
    }
    return sum;
  };
  let [low, high] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (derivative(middle) < 0) low = middle;
    else high = middle;
  }
  return low;
}
