/**
 * Scales of features, fitted on training rows: `standard` by mean and standard deviation; `sparse`
 * for counts of which many are zero, after Hydra (Dempster, Schmidt & Webb 2023, §3.3): square roots,
 * zeros stay zero, deviations are raised by the fourth power of the share of zeros.
 */

import type { FeatureMatrix } from "../feature-matrix.ts";

export const SCALER_KINDS = ["standard", "sparse"] as const;
export type ScalerKind = (typeof SCALER_KINDS)[number];

export class FeatureScaler {
  readonly kind: ScalerKind;
  readonly means: Float64Array;
  readonly deviations: Float64Array;

  constructor(kind: ScalerKind, means: Float64Array, deviations: Float64Array) {
    this.kind = kind;
    this.means = means;
    this.deviations = deviations;
  }

  static fit(kind: ScalerKind, matrix: FeatureMatrix, rows: Uint32Array): FeatureScaler {
    const { columns, values } = matrix;
    const means = new Float64Array(columns);
    const squares = new Float64Array(columns);
    const zeros = new Float64Array(columns);
    const sparse = kind === "sparse";
    for (const row of rows) {
      for (let c = 0, at = row * columns; c < columns; c++, at++) {
        means[c] += sparse ? Math.sqrt(Math.max(0, values[at])) : values[at];
        if (values[at] <= 0) zeros[c]++;
      }
    }
    for (let c = 0; c < columns; c++) means[c] /= rows.length;
    for (const row of rows) {
      for (let c = 0, at = row * columns; c < columns; c++, at++) {
        const value = sparse ? Math.sqrt(Math.max(0, values[at])) : values[at];
        squares[c] += (value - means[c]) ** 2;
      }
    }
    const deviations = squares.map((sum, c) => {
      const deviation = Math.sqrt(sum / rows.length);
      if (sparse) return deviation + (zeros[c] / rows.length) ** 4 + 1e-8;
      // What rounding leaves of a constant is no variation.
      return deviation > 1e-9 * Math.abs(means[c]) ? deviation : Infinity;
    });
    return new FeatureScaler(kind, means, deviations);
  }

  /** Of one cell. A feature that did not vary in training is 0 everywhere. */
  scale(value: number, column: number): number {
    if (this.kind === "standard") return (value - this.means[column]) / this.deviations[column];
    if (value <= 0) return 0;
    return (Math.sqrt(value) - this.means[column]) / this.deviations[column];
  }
}
