/** Rows of several feature matrices side by side, scaled, centred and weighted, as ridge reads them. */

import type { FeatureMatrix } from "../feature-matrix.ts";
import type { FeatureScaler } from "./feature-scaler.ts";

/** Matrices of one fit have the same rows. */
export interface ScaledFeatures {
  readonly matrix: FeatureMatrix;
  readonly scaler: FeatureScaler;
}

export class ScaledRows {
  readonly columns: number;
  /** Rows that have weight. */
  readonly rows: Uint32Array;
  /** Square roots of their weights. */
  readonly roots: Float64Array;
  /** Weighted, of the scaled columns. */
  readonly means: Float64Array;
  /** Whether leaving a row out tells anything; null: each does. */
  readonly tells: readonly boolean[] | null;
  readonly #blocks: readonly ScaledFeatures[];

  /**
   * @param rows of the matrices
   * @param weights positive, one each; null = all 1
   * @param tells one each; null, or where it is nowhere so: all do
   */
  constructor(
    blocks: readonly ScaledFeatures[],
    rows: Uint32Array,
    weights: Float64Array | null,
    tells: readonly boolean[] | null = null,
  ) {
    this.#blocks = blocks;
    this.rows = rows;
    this.tells = tells?.includes(true) ? tells : null;
    this.roots = new Float64Array(rows.length).fill(1);
    if (weights !== null) for (const [i, w] of weights.entries()) this.roots[i] = Math.sqrt(w);
    this.columns = blocks.reduce((sum, { matrix }) => sum + matrix.columns, 0);
    this.means = new Float64Array(this.columns);
    const line = new Float64Array(this.columns);
    let total = 0;
    for (const [i, row] of rows.entries()) {
      scaleRow(blocks, row, line);
      const weight = this.roots[i] ** 2;
      total += weight;
      for (let c = 0; c < line.length; c++) this.means[c] += weight * line[c];
    }
    for (let c = 0; c < line.length; c++) this.means[c] /= total;
  }

  /** Row i, centred and times the root of its weight. */
  read(i: number, out: Float64Array): void {
    scaleRow(this.#blocks, this.rows[i], out);
    const root = this.roots[i];
    for (let c = 0; c < out.length; c++) out[c] = (out[c] - this.means[c]) * root;
  }

  /** Every so many-th row. */
  thinned(most: number): { readonly rows: ScaledRows; readonly places: Uint32Array } {
    const count = Math.min(most, this.rows.length);
    const places = Uint32Array.from({ length: count }, (_, i) =>
      Math.floor((i * this.rows.length) / count),
    );
    const weights = Float64Array.from(places, (place) => this.roots[place] ** 2);
    const rows = places.map((place) => this.rows[place]);
    const { tells } = this;
    const told = tells && Array.from(places, (place) => tells[place]);
    return { rows: new ScaledRows(this.#blocks, rows, weights, told), places };
  }
}

/** All scaled features of one row. */
export function scaleRow(blocks: readonly ScaledFeatures[], row: number, out: Float64Array): void {
  let at = 0;
  for (const { matrix, scaler } of blocks) {
    const { columns, values } = matrix;
    const start = row * columns;
    for (let c = 0; c < columns; c++) out[at++] = scaler.scale(values[start + c], c);
  }
}
