/**
 * From members' outputs to the model's: each is calibrated and weighed, and they are averaged as
 * they are, or as margins under a stacking layer. The one place where this is done: for selection,
 * for importance and for the model that predicts.
 */

import { hasClasses, outputCount, type Task } from "../tasks/index.ts";
import { type Calibration, calibrateRow } from "./calibration/calibration.ts";
import { marginOf, probabilitiesOf } from "./margins.ts";

/** What a model does with its members' outputs beside weighing them. */
export interface CombinationLayer {
  /** One an output: what is added to the weighted sum of the margins (values for regression). */
  readonly intercepts: readonly number[];
}

/** Sums up members one by one, row by row, so that no more than one member's outputs are held beside. */
export class Combiner {
  readonly #outputs: number;
  readonly #isClass: boolean;
  readonly #layer: CombinationLayer | null;
  readonly #sum: Float64Array;
  /** One row of a member's. */
  readonly #row: Float64Array;

  /** @param layer null: members are averaged as they are */
  constructor(task: Task, layer: CombinationLayer | null, rows: number) {
    this.#outputs = outputCount(task);
    this.#isClass = hasClasses(task);
    this.#layer = layer;
    this.#sum = new Float64Array(rows * this.#outputs);
    this.#row = new Float64Array(this.#outputs);
    const intercepts = layer?.intercepts;
    if (!intercepts) return;
    for (let i = 0; i < this.#sum.length; i++) this.#sum[i] = intercepts[i % this.#outputs];
  }

  /**
   * @param weight of all rows, or of models with one output one a row
   * @param values the member's own, row-major: values, or probabilities
   */
  add(weight: number | Float64Array, calibration: Calibration | null, values: Float64Array): void {
    if (weight === 0) return;
    const sum = this.#sum;
    const row = this.#row;
    const outputs = this.#outputs;
    const carries = this.#layer !== null && this.#isClass;
    if (calibration === null && !carries) {
      if (typeof weight === "number") {
        for (let i = 0; i < sum.length; i++) sum[i] += weight * values[i];
      } else {
        for (let i = 0; i < sum.length; i++) sum[i] += weight[i] * values[i];
      }
      return;
    }
    for (let at = 0; at < sum.length; at += outputs) {
      if (calibration) calibrateRow(calibration, values, at, outputs, row, 0);
      else for (let k = 0; k < outputs; k++) row[k] = values[at + k];
      for (let k = 0; k < outputs; k++) {
        const part = carries ? marginOf(row[k], outputs) : row[k];
        sum[at + k] += (typeof weight === "number" ? weight : weight[at + k]) * part;
      }
    }
  }

  /** The model's values or probabilities, row-major. */
  result(): Float64Array {
    return this.#layer && this.#isClass ? probabilitiesOf(this.#sum, this.#outputs) : this.#sum;
  }
}
