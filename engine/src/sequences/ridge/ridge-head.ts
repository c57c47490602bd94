/** Ridge regression on features of sequences, once it is fitted (`fit-ridge.ts`): values, or classes as +1 against -1. */

import { z } from "zod";
import type { FeatureMatrix } from "../feature-matrix.ts";
import {
  checkSaved,
  type SavedTransform,
  type TransformTensor,
  tensorOf,
} from "../saved-transform.ts";
import { FeatureScaler, SCALER_KINDS } from "./feature-scaler.ts";
import { scaleRow } from "./scaled-rows.ts";

const headerSchema = z.strictObject({
  head: z.literal("ridge"),
  version: z.literal(1),
  outputs: z.int().min(1),
  scalers: z.array(z.enum(SCALER_KINDS)),
});

export class RidgeHead {
  readonly outputs: number;
  readonly scalers: readonly FeatureScaler[];
  /** Of the scaled features, columns × outputs. */
  readonly coefficients: Float64Array;
  readonly intercepts: Float64Array;

  constructor(
    outputs: number,
    scalers: readonly FeatureScaler[],
    coefficients: Float64Array,
    intercepts: Float64Array,
  ) {
    this.outputs = outputs;
    this.scalers = scalers;
    this.coefficients = coefficients;
    this.intercepts = intercepts;
  }

  /**
   * Row-major, rows × outputs: values, or margins between -1 and +1 for the most part.
   *
   * @param rows of the matrices; null = all
   */
  predict(matrices: readonly FeatureMatrix[], rows: Uint32Array | null): Float64Array {
    const blocks = matrices.map((matrix, i) => ({ matrix, scaler: this.scalers[i] }));
    const columns = matrices.reduce((sum, matrix) => sum + matrix.columns, 0);
    if (columns * this.outputs !== this.coefficients.length) {
      throw new RangeError(
        `The head was fitted on ${this.coefficients.length / this.outputs} features, not ${columns}.`,
      );
    }
    const chosen = rows ?? Uint32Array.from({ length: matrices[0].rows }, (_, i) => i);
    const line = new Float64Array(columns);
    const out = new Float64Array(chosen.length * this.outputs);
    for (const [i, row] of chosen.entries()) {
      scaleRow(blocks, row, line);
      const sums = out.subarray(i * this.outputs, (i + 1) * this.outputs);
      sums.set(this.intercepts);
      addProducts(line, this.coefficients, sums);
    }
    return out;
  }

  save(): SavedTransform {
    const header: z.infer<typeof headerSchema> = {
      head: "ridge",
      version: 1,
      outputs: this.outputs,
      scalers: this.scalers.map(({ kind }) => kind),
    };
    const tensors: Record<string, TransformTensor> = {
      coefficients: this.coefficients,
      intercepts: this.intercepts,
    };
    for (const [i, { means, deviations }] of this.scalers.entries()) {
      tensors[`scaler_${i}_means`] = means;
      tensors[`scaler_${i}_deviations`] = deviations;
    }
    return { header, tensors };
  }

  /**
   * @param features of each transform that it reads
   * @throws Error where the header or an array is damaged or missing
   */
  static load(saved: SavedTransform, features: readonly number[]): RidgeHead {
    const { outputs, scalers } = headerSchema.parse(saved.header);
    const columns = features.reduce((sum, count) => sum + count, 0);
    const array = (name: string, length: number): Float64Array => {
      const found = tensorOf(saved, name, Float64Array);
      checkSaved(found.length === length, `"${name}" has ${found.length} numbers, not ${length}`);
      return found;
    };
    checkSaved(
      scalers.length === features.length,
      `${features.length} transforms have ${scalers.length} scales`,
    );
    return new RidgeHead(
      outputs,
      scalers.map((kind, i) => {
        const part = (name: string) => array(`scaler_${i}_${name}`, features[i]);
        return new FeatureScaler(kind, part("means"), part("deviations"));
      }),
      array("coefficients", columns * outputs),
      array("intercepts", outputs),
    );
  }
}

/** Adds what a row's columns come to by their coefficients, columns × outputs, which are read in their order. */
function addProducts(line: Float64Array, coefficients: Float64Array, sums: Float64Array): void {
  const outputs = sums.length;
  if (outputs === 1) {
    let sum = sums[0];
    for (let c = 0; c < line.length; c++) sum += line[c] * coefficients[c];
    sums[0] = sum;
    return;
  }
  for (let c = 0, w = 0; c < line.length; c++) {
    const value = line[c];
    for (let o = 0; o < outputs; o++, w++) sums[o] += value * coefficients[w];
  }
}
