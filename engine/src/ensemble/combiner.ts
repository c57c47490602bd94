/**
 * From members' outputs to the model's: each is calibrated and weighed, and they are averaged as
 * they are, or as margins under a stacking layer. The one place where this is done: for selection,
 * for importance and for the model that predicts.
 */

import { hasClasses, outputCount, type Task } from "../tasks/index.ts";
import { type Calibration, calibrate } from "./calibration/calibration.ts";
import { marginsOf, probabilitiesOf } from "./margins.ts";

/** What a model does with its members' outputs beside weighing them. */
export interface CombinationLayer {
  /** One an output: what is added to the weighted sum of the margins (values for regression). */
  readonly intercepts: readonly number[];
}

/** Sums up members one by one, so that no more than one member's outputs are held beside. */
export class Combiner {
  readonly #outputs: number;
  readonly #isClass: boolean;
  readonly #layer: CombinationLayer | null;
  readonly #sum: Float64Array;

  /** @param layer null: members are averaged as they are */
  constructor(task: Task, layer: CombinationLayer | null, rows: number) {
    this.#outputs = outputCount(task);
    this.#isClass = hasClasses(task);
    this.#layer = layer;
    this.#sum = new Float64Array(rows * this.#outputs);
    const intercepts = layer?.intercepts;
    if (!intercepts) return;
    for (let i = 0; i < this.#sum.length; i++) this.#sum[i] = intercepts[i % this.#outputs];
  }

  /** @param values the member's own, row-major: values, or probabilities */
  add(weight: number, calibration: Calibration | null, values: Float64Array): void {
    if (weight === 0) return;
    const calibrated = calibration ? calibrate(calibration, values, this.#outputs) : values;
    const part = this.#layer && this.#isClass ? marginsOf(calibrated, this.#outputs) : calibrated;
    for (let i = 0; i < this.#sum.length; i++) this.#sum[i] += weight * part[i];
  }

  /** The model's values or probabilities, row-major. */
  result(): Float64Array {
    return this.#layer && this.#isClass ? probabilitiesOf(this.#sum, this.#outputs) : this.#sum;
  }
}
