/** How far the folds' predictions lie from their mean, for the intervals around it. */

import { type CombinationLayer, Combiner } from "../ensemble/combiner.ts";
import type { Task } from "../tasks/index.ts";

/** For regression, where members' weighted values add up to the model's. */
export class FoldAmbiguity {
  readonly #folds: ReadonlyMap<number, Combiner>;

  /** @param folds the distinct folds that the members were fitted on */
  constructor(task: Task, layer: CombinationLayer | null, folds: readonly number[], rows: number) {
    this.#folds = new Map(folds.map((fold) => [fold, new Combiner(task, layer, rows)]));
  }

  /** @param weight of the member in the model, where all folds' weights sum to 1 */
  add(fold: number | null, weight: number, values: Float64Array): void {
    if (fold === null) return;
    this.#folds.get(fold)?.add(weight * this.#folds.size, null, values);
  }

  /** Mean squared distance of the folds' predictions from the model's, one a row. */
  result(means: Float64Array): Float64Array {
    const squares = new Float64Array(means.length);
    for (const combiner of this.#folds.values()) {
      const values = combiner.result();
      for (let row = 0; row < squares.length; row++) {
        squares[row] += (values[row] - means[row]) ** 2 / this.#folds.size;
      }
    }
    return squares;
  }
}
