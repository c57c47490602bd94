/**
 * What becomes of a search's trials. Folds of a trial that is refused or pruned may still run, and end in any way:
 * the first decision stands, and nothing of the trial is logged behind it.
 */

import type { RunEventBody } from "../log/events.ts";
import type { OpenRun } from "../open-run.ts";

/** An event after which a trial has come to its end. */
type Decision = Extract<
  RunEventBody,
  { readonly type: "trial_finished" | "trial_failed" | "trial_pruned" | "trial_refused" }
>;

export class Decisions {
  readonly #driver: Pick<OpenRun, "append">;
  /** By trial. */
  readonly #logged = new Map<number, Promise<void>>();

  constructor(driver: Pick<OpenRun, "append">) {
    this.#driver = driver;
  }

  /** Whether a trial is decided, be its event durable or on its way. */
  has(trial: number): boolean {
    return this.#logged.has(trial);
  }

  /** Resolves when the decision is logged, or the one that came before it. */
  decide(decision: Decision): Promise<void> {
    const logged = this.#logged.get(decision.trial) ?? this.#driver.append(decision);
    this.#logged.set(decision.trial, logged);
    return logged;
  }

  /** Resolves when all decisions so far are logged. */
  async settled(): Promise<void> {
    await Promise.all(this.#logged.values());
  }
}
