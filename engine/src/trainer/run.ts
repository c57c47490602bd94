/**
 * Drives one run: plan → steps of trials → selection → fit → model files.
 *
 * All that happens is appended to the store's log first and folded into the state second, so a
 * run that was killed goes on from its log and ends with the same bytes. Nothing that depends on
 * time or on the number of workers reaches the model, but for a time budget (the log records how
 * many trials it allowed).
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { collectReleasedArrays } from "../compute/garbage.ts";
import { LOG_VERSION, type RunPlan } from "./log/events.ts";
import { foldEvents, type RunState } from "./log/state.ts";
import { modelPrefix } from "./log/store.ts";
import { OpenRun } from "./open-run.ts";
import { finishModels } from "./outcome/finish.ts";
import { selectModels } from "./outcome/selection.ts";
import { FITS, PREDICTIONS } from "./pool-tasks/fold-artifact.ts";
import { Search } from "./search/search.ts";

/** Drives one run over a store and a pool. */
export class RunDriver extends OpenRun {
  /** Runs to the end, from wherever the store's log is. */
  async drive(): Promise<RunState> {
    await this.#resume();
    const search = new Search(this);
    try {
      await search.run();
      await this.#finish();
    } finally {
      await search.settled();
    }
    return this.state;
  }

  async #finish(): Promise<void> {
    if (this.state.selections.length === 0) {
      // What came of the last folds, of which the store has copies.
      await letGo();
      const selected = await selectModels(this);
      await this.append({ type: "selected", ...selected });
      // Copies of all out-of-fold predictions, beside which models are fitted now.
      await letGo();
    }
    if (this.state.phase !== "done") await finishModels(this);
    await this.options.store.deleteArtifacts(FITS);
  }

  async #resume(): Promise<void> {
    Object.assign(this.state, foldEvents(await this.options.store.readEvents()));
    // JSON on both sides: the logged plan has been through it.
    if (JSON.stringify(this.state.plan) === JSON.stringify(this.plan)) {
      if (this.state.elapsed !== null) this.resumeClock(this.state.elapsed);
      return;
    }
    // The log is of other data or another version: its artifacts would not be this run's.
    const former = this.state.plan;
    const prefixes = [FITS, PREDICTIONS, modelPrefix(0)];
    for (const model of this.state.selections.keys()) prefixes.push(modelPrefix(model));
    for (const prefix of former ? new Set(prefixes) : []) {
      await this.options.store.deleteArtifacts(prefix);
    }
    await this.append({
      type: "planned",
      plan: this.plan,
      ...(former ? { anew: whyAnew(former) } : {}),
    });
  }
}

/** Until the next turn of the loop, the message that a thread answered with holds what it gave. */
async function letGo(): Promise<void> {
  await nextTurn();
  collectReleasedArrays();
}

function whyAnew(former: RunPlan): string {
  return former.logVersion === LOG_VERSION
    ? "The data, or the plan made from it, is not the one that the log was started with."
    : `The log was started by a version that wrote format ${former.logVersion}; this one writes ${LOG_VERSION}.`;
}
