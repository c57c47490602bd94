/**
 * The memory of a search under a memory budget: which trials would not go beside the data, and which fits
 * may run at once. Prices are what folds of earlier steps held, so that the same trials are refused again.
 */

import type { TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import { CostModel } from "../prices/cost-model.ts";

export class SearchMemory {
  readonly #driver: OpenRun;
  readonly #bytes: CostModel;
  /** Held by the run's data. */
  readonly #dataBytes: number;
  /** Trials whose folds `#bytes` knows: those before this number. */
  #weighed = 0;

  constructor(driver: OpenRun, dataBytes: number) {
    this.#driver = driver;
    this.#dataBytes = dataBytes;
    this.#bytes = new CostModel(driver.plan.matrix.map(({ space }) => space));
  }

  /**
   * Learns the bytes of earlier steps' folds alone, and of none behind one that failed: what is refused must not
   * depend on timing.
   */
  learn(step: number): void {
    const { trials } = this.#driver.state;
    while (this.#weighed < trials.length && trials[this.#weighed].step < step) {
      const { row, parameters, folds } = trials[this.#weighed++];
      for (const fold of folds) {
        if (fold?.state === "failed") break;
        if (fold?.state === "finished") this.#bytes.observe(row, parameters, fold.bytes);
      }
    }
  }

  /** Why a trial is too large; null where it is not. */
  refusal(trial: TrialState): string | null {
    const budget = this.#driver.options.config.memoryBudgetBytes;
    const estimate = this.#bytes.predict(trial.row, trial.parameters);
    if (budget == null || !estimate || this.#dataBytes + estimate.expected <= budget) return null;
    return `A fit would need about ${mebibytes(estimate.expected)} besides the data's ${mebibytes(this.#dataBytes)}; the memory budget is ${mebibytes(budget)}.`;
  }

  /** Whether these fits may run at once. */
  holds(trials: readonly TrialState[]): boolean {
    const budget = this.#driver.options.config.memoryBudgetBytes;
    if (budget == null) return true;
    const bytes = trials.map(
      ({ row, parameters }) => this.#bytes.predict(row, parameters)?.expected ?? 0,
    );
    return this.#dataBytes + bytes.reduce((sum, each) => sum + each, 0) <= budget;
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
