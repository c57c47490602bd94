/** Which epoch is best on the validation rows, and on those without each part. */

import { type LearningCurve, learningCurve } from "../learning-curve.ts";
import { DivergedError, type LabelledRows, type TrainingInput } from "./training-input.ts";

/** Parts that the validation rows are dealt to, one by one, as for the rounds of boosting. */
const PARTS = 5;

/** The best epoch by all validation rows, and by those without each part. */
export class BestEpochs {
  readonly heldOut: Float64Array;
  best = 1;
  leastLoss = Number.POSITIVE_INFINITY;
  /** Of the epoch that was observed last. */
  lastLoss = Number.POSITIVE_INFINITY;
  readonly #input: TrainingInput;
  readonly #rows: LabelledRows;
  readonly #losses: number[] = [];
  readonly #least = new Float64Array(PARTS).fill(Number.POSITIVE_INFINITY);

  constructor(input: TrainingInput, rows: LabelledRows) {
    this.#input = input;
    this.#rows = rows;
    this.heldOut = new Float64Array(rows.inputs.rows * input.shape.outputs);
  }

  /**
   * @param outputs row-major, validation rows × outputs
   * @returns whether the epoch is the best so far
   */
  observe(epoch: number, outputs: Float64Array): boolean {
    const { shape, loss, targetWidth } = this.#input;
    const { inputs, target, weights } = this.#rows;
    const sums = new Float64Array(PARTS);
    let total = 0;
    for (let row = 0; row < inputs.rows; row++) {
      const weight = weights?.[row] ?? 1;
      total += weight;
      if (weight === 0) continue;
      const own = loss.of(outputs, row * shape.outputs, target, row * targetWidth);
      sums[row % PARTS] += weight * own;
    }
    const all = sums.reduce((sum, each) => sum + each, 0);
    const mean = total > 0 ? all / total : 0;
    if (!Number.isFinite(mean)) throw new DivergedError();
    this.#losses.push(mean);
    this.lastLoss = mean;
    for (let part = 0; part < PARTS; part++) {
      if (!(all - sums[part] < this.#least[part])) continue;
      this.#least[part] = all - sums[part];
      for (let row = part; row < inputs.rows; row += PARTS) {
        const at = row * shape.outputs;
        this.heldOut.set(outputs.subarray(at, at + shape.outputs), at);
      }
    }
    if (!(mean < this.leastLoss)) return false;
    this.leastLoss = mean;
    this.best = epoch;
    return true;
  }

  curve(): LearningCurve {
    return learningCurve(this.#input.lossName, this.#losses);
  }
}
