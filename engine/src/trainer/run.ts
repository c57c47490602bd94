/**
 * Drives one run: plan → steps of trials → selection → fit → model files.
 *
 * All that happens is appended to the store's log first and folded into the state second, so a
 * run that was killed goes on from its log and ends with the same bytes. Nothing that depends on
 * time or on the number of workers reaches the model, but for a time budget (the log records how
 * many trials it allowed).
 */

import type { ComputePool } from "../compute/pool.ts";
import { askStep } from "./ask.ts";
import type { RunConfig } from "./config.ts";
import { AllTrialsFailedError, RunCancelledError } from "./errors.ts";
import { LOG_VERSION, type RunEvent, type RunEventBody, type RunPlan } from "./events.ts";
import { finishModels } from "./finish.ts";
import type { FitFoldInput, FitFoldOutput } from "./fit-task.ts";
import {
  FITS,
  fitArtifact,
  PREDICTIONS,
  packPredictions,
  predictionsArtifact,
} from "./fold-artifact.ts";
import type { PreparedRun } from "./prepared.ts";
import { meanScores } from "./scores.ts";
import { selectModels } from "./selection.ts";
import {
  applyEvent,
  emptyState,
  foldEvents,
  type RunState,
  searchIsOver,
  type TrialState,
} from "./state.ts";
import { modelPrefix, type RunStore } from "./store.ts";

export interface RunOptions {
  readonly run: PreparedRun;
  readonly config: RunConfig;
  readonly store: RunStore;
  readonly pool: ComputePool;
  readonly signal?: AbortSignal | undefined;
  /** Called after each event is durable, with the state it led to. */
  readonly onEvent?: ((event: RunEvent, state: RunState) => void) | undefined;
}

/** The share of a time budget that the search may use; the rest is for selection and fitting. */
const SEARCH_SHARE = 0.85;

export class RunDriver {
  readonly options: RunOptions;
  readonly state = emptyState();
  #tail: Promise<void> = Promise.resolve();

  constructor(options: RunOptions) {
    this.options = options;
  }

  get plan(): RunPlan {
    return this.options.run.plan;
  }

  /** Runs to the end, from wherever the store's log is. */
  async drive(): Promise<RunState> {
    await this.#resume();
    await this.#search();
    if (this.state.selections.length === 0) {
      await this.append({ type: "selected", ...(await selectModels(this)) });
    }
    if (this.state.phase !== "done") await finishModels(this);
    await this.options.store.deleteArtifacts(FITS);
    return this.state;
  }

  /** Runs a task in the pool; a cancelled run rejects with RunCancelledError. */
  async compute<Input, Output>(name: string, input: Input): Promise<Output> {
    const { pool, signal } = this.options;
    this.throwIfCancelled();
    try {
      return await pool.run<Input, Output>(name, input, signal ? { signal } : {});
    } catch (error) {
      this.throwIfCancelled();
      throw error;
    }
  }

  throwIfCancelled(): void {
    if (this.options.signal?.aborted) throw new RunCancelledError("The run was cancelled.");
  }

  /** Appends one event: durable first, then folded into the state. Appends never overlap. */
  append(body: RunEventBody): Promise<void> {
    const next = this.#tail.then(async () => {
      const event: RunEvent = { ...body, at: new Date().toISOString() };
      await this.options.store.appendEvent(event);
      applyEvent(this.state, event);
      this.options.onEvent?.(event, this.state);
    });
    // A failed append fails its caller; the chain itself must stay usable for the others' errors.
    this.#tail = next.catch(() => undefined);
    return next;
  }

  async #resume(): Promise<void> {
    Object.assign(this.state, foldEvents(await this.options.store.readEvents()));
    // JSON on both sides: the logged plan has been through it.
    if (JSON.stringify(this.state.plan) === JSON.stringify(this.plan)) return;
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

  async #search(): Promise<void> {
    while (!searchIsOver(this.state, this.plan)) {
      const unfinished = this.state.trials.filter((trial) => trial.state === "running");
      if (unfinished.length > 0) {
        await this.#runTrials(unfinished);
        continue;
      }
      if (this.#budgetIsSpent() && this.#finished().length > 0) {
        await this.#stopSearch();
        continue;
      }
      const trials = askStep(this.state, this.plan, this.options.config);
      await this.append({ type: "step_asked", step: this.state.stepsAsked, trials });
    }
    if (this.#finished().length === 0) {
      const first = this.state.trials.find((trial) => trial.reason !== null);
      throw new AllTrialsFailedError(
        `Every trial failed. The first one (${first?.family ?? "none"}): ${first?.reason ?? "no reason was recorded"}`,
      );
    }
  }

  /** Runs what is left of these trials' folds in any order, then tells in the order of trials. */
  async #runTrials(trials: readonly TrialState[]): Promise<void> {
    const queue = trials.flatMap((trial) =>
      trial.folds.flatMap((fold, index) => (fold ? [] : [{ trial, fold: index }])),
    );
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < queue.length) {
        if (this.#budgetIsSpent() && this.#someTrialIsComplete()) return;
        const { trial, fold } = queue[next++];
        await this.#runFold(trial, fold);
      }
    };
    // One fit more than there are threads, so that none waits while a result is stored.
    const width = this.options.pool.threads + 1;
    const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
    for (const outcome of lanes) if (outcome.status === "rejected") throw outcome.reason;
    for (const trial of trials) {
      const failed = trial.folds.find((fold) => fold?.state === "failed");
      if (failed?.state === "failed") {
        await this.append({ type: "trial_failed", trial: trial.number, reason: failed.reason });
      } else if (trial.folds.every((fold) => fold !== undefined)) {
        await this.append({
          type: "trial_finished",
          trial: trial.number,
          scores: meanScores(trial, this.plan.metrics),
        });
      }
    }
    if (trials.some((trial) => trial.state === "running")) await this.#stopSearch();
  }

  async #runFold(trial: TrialState, fold: number): Promise<void> {
    const input: FitFoldInput = {
      run: this.options.run,
      family: trial.family,
      parameters: trial.parameters,
      trial: trial.number,
      fold,
      randomState: this.options.config.randomState,
    };
    let output: FitFoldOutput;
    try {
      output = await this.compute<FitFoldInput, FitFoldOutput>("fitFold", input);
    } catch (error) {
      if (error instanceof RunCancelledError) throw error;
      await this.append({
        type: "fold_failed",
        trial: trial.number,
        fold,
        reason: reasonOf(error),
      });
      return;
    }
    const { scores, facts, seconds, predictions, curve, model } = output;
    const { store } = this.options;
    await store.putArtifact(fitArtifact(trial.number, fold), model);
    const kept = packPredictions(predictions, curve);
    await store.putArtifact(predictionsArtifact(trial.number, fold), kept);
    await this.append({ type: "fold_finished", trial: trial.number, fold, scores, facts, seconds });
  }

  #finished(): TrialState[] {
    return this.state.trials.filter((trial) => trial.state === "finished");
  }

  /** A budget never stops a run before it has one trial to make a model of. */
  #someTrialIsComplete(): boolean {
    return this.state.trials.some((trial) =>
      trial.folds.every((fold) => fold?.state === "finished"),
    );
  }

  #budgetIsSpent(): boolean {
    const { timeBudgetS } = this.options.config;
    if (timeBudgetS == null || this.state.startedAt === null) return false;
    const elapsed = (Date.now() - Date.parse(this.state.startedAt)) / 1000;
    return elapsed > timeBudgetS * SEARCH_SHARE;
  }

  async #stopSearch(): Promise<void> {
    await this.append({
      type: "search_stopped",
      reason: `The time budget of ${this.options.config.timeBudgetS} s ran out.`,
      trials: this.#finished().length,
    });
  }
}

function whyAnew(former: RunPlan): string {
  return former.logVersion === LOG_VERSION
    ? "The data or the plan made of it is not the one that the log was begun with."
    : `The log was begun by a version that wrote format ${former.logVersion}; this one writes ${LOG_VERSION}.`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
