/**
 * The search of a run: step after step of trials, each fold logged as it finishes, until the plan
 * is through, the time is spent, or the number of trials that the configuration allows is reached.
 *
 * `docs/decisions/budget.md` says what a time budget may change, and how the card repeats it.
 */

import { Arena, type ArenaCheckpoint } from "../compute/arena.ts";
import { askStep } from "./ask.ts";
import { finishEstimate, isComplete } from "./cost-finish.ts";
import { CostModel } from "./cost-model.ts";
import { AllTrialsFailedError, RunCancelledError } from "./errors.ts";
import type { FitFoldInput, FitFoldOutput } from "./fit-task.ts";
import { fitArtifact, packPredictions, predictionsArtifact } from "./fold-artifact.ts";
import { type FoldOutcome, runFolds } from "./fold-schedule.ts";
import { canBePruned, judge, type PruningContext } from "./pruning.ts";
import type { RunDriver } from "./run.ts";
import { meanScores } from "./scores.ts";
import { searchIsOver, type TrialState } from "./state.ts";

/** Models that a sweep may give, as its estimate counts them: many weights agree on one. */
const USUAL_SWEEP_MODELS = 6;
/** Of a time budget, that the importance of columns may take from the search. */
const IMPORTANCE_SHARE = 0.25;
/** Below this share of the time left, a step is sure to end: its longest trials may come first. */
const SURE_SHARE = 0.5;

export class Search {
  readonly #driver: RunDriver;
  readonly #seconds: CostModel;
  readonly #bytes: CostModel;
  readonly #dataBytes: number;
  readonly #checkpoints: readonly (readonly [Arena, ArenaCheckpoint])[];
  /** Trials whose folds `#bytes` knows: those before this number. */
  #weighed = 0;
  #stop = new AbortController();
  #stopping: Promise<void> | null = null;
  #disarm: () => void = () => undefined;
  #guesses: Promise<void>[] = [];
  #refusals: Promise<void>[] = [];

  constructor(driver: RunDriver) {
    this.#driver = driver;
    const spaces = driver.plan.matrix.map(({ space }) => space);
    this.#seconds = new CostModel(spaces);
    this.#bytes = new CostModel(spaces);
    const { data, foldData } = driver.options.run;
    const memories = new Set([data, ...(foldData ?? [])].map(({ arena }) => arena.memory));
    const arenas = [...memories].map((memory) => Arena.attach({ memory }));
    this.#checkpoints = arenas.map((arena) => [arena, arena.checkpoint()]);
    this.#dataBytes = arenas.reduce((sum, arena) => sum + arena.liveBytes, 0);
    for (const trial of driver.state.trials) {
      for (const fold of trial.folds) {
        if (fold?.state === "finished")
          this.#seconds.observe(trial.row, trial.parameters, fold.seconds);
      }
    }
  }

  /** @throws AllTrialsFailedError, RunCancelledError */
  async run(): Promise<void> {
    const { state, plan } = this.#driver;
    try {
      while (!searchIsOver(state, plan)) await this.#advance();
    } finally {
      this.#disarm();
    }
    if (state.trials.some((trial) => trial.state === "finished")) return;
    const first = state.trials.find((trial) => trial.reason !== null);
    throw new AllTrialsFailedError(
      `Every trial failed. The first one (${first?.family ?? "none"}): ${first?.reason ?? "no reason was recorded"}`,
    );
  }

  /** Resolves when no thread works for the search any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#guesses);
  }

  /** One step: what is left of the last one, or else the next one is asked. */
  async #advance(): Promise<void> {
    const { state, plan, options } = this.#driver;
    const running = state.trials.filter((trial) => trial.state === "running");
    const allowed = running.filter(({ number }) => number < this.#trialsAllowed);
    if (allowed.length > 0) return this.#runTrials(allowed);
    if (running.length > 0 || state.trials.length >= this.#trialsAllowed) {
      return this.#stopSearch(`The configuration allows ${this.#trialsAllowed} trials.`);
    }
    if (this.#isOver()) return this.#stopSearch(this.#outOfTime());
    const trials = askStep(state, plan, options.config);
    await this.#driver.append({ type: "step_asked", step: state.stepsAsked, trials });
  }

  async #runTrials(trials: readonly TrialState[]): Promise<void> {
    const { plan, options } = this.#driver;
    await this.#refuseBeforehand(trials);
    const context = this.#pruningContext();
    const left = trials.filter((trial) => trial.state === "running");
    for (const trial of left) if (this.#isJudged(trial, context)) await this.#prune(trial, context);
    this.#arm();
    const guesses = await runFolds<FitFoldOutput>({
      trials: this.#inOrder(left),
      folds: plan.folds,
      threads: options.pool.threads,
      isJudged: (trial) => this.#isJudged(trial, context),
      admits: (trial) => this.#admits(trial),
      fits: (trial, running) => this.#fitsBeside(trial, running),
      isOver: () => this.#isOver(),
      run: (trial, fold) => this.#fit(trial, fold),
      commit: (trial, fold, outcome) => this.#commit(trial, fold, outcome),
      ends: (trial) => this.#prune(trial, context),
    });
    this.#guesses.push(...guesses);
    await this.#stopping;
    await Promise.all(this.#refusals);
    if (this.#isOver()) await this.#refuseTheCutOff(trials);
    await this.#tell(trials);
    const refused = trials.filter(({ state }) => state === "refused").length;
    if (trials.some(({ state }) => state === "running")) await this.#stopSearch(this.#outOfTime());
    // Nothing that could be asked would fit: the steps to come would all be refused.
    else if (this.#hasBudget && refused === trials.length && this.#someAreComplete()) {
      await this.#stopSearch(this.#outOfTime());
    }
  }

  /** In the order of trials, whatever order they ended in. */
  async #tell(trials: readonly TrialState[]): Promise<void> {
    const { plan } = this.#driver;
    for (const trial of trials) {
      if (trial.state !== "running") continue;
      const failed = trial.folds.find((fold) => fold?.state === "failed");
      if (failed?.state === "failed") {
        const { reason } = failed;
        await this.#driver.append({ type: "trial_failed", trial: trial.number, reason });
      } else if (isComplete(trial)) {
        const scores = meanScores(trial, plan.metrics);
        await this.#driver.append({ type: "trial_finished", trial: trial.number, scores });
      }
    }
  }

  // Pruning

  #pruningContext(): PruningContext {
    const { state, plan, objectives } = this.#driver;
    return { plan, objectives, trials: state.trials };
  }

  #isJudged(trial: TrialState, context: PruningContext): boolean {
    return this.#driver.options.config.pruning && canBePruned(trial, context);
  }

  /** Whether the trial was pruned. */
  async #prune(trial: TrialState, context: PruningContext): Promise<boolean> {
    const verdict = judge(trial, context);
    if (!verdict) return false;
    await this.#driver.append({ type: "trial_pruned", trial: trial.number, ...verdict });
    return true;
  }

  // Folds

  async #fit(trial: TrialState, fold: number): Promise<FoldOutcome<FitFoldOutput>> {
    const { run, config } = this.#driver.options;
    const { signal } = this.#stop;
    try {
      const output = await this.#driver.compute<FitFoldInput, FitFoldOutput>(
        "fitFold",
        {
          run,
          family: trial.family,
          parameters: trial.parameters,
          trial: trial.number,
          fold,
          randomState: config.randomState,
        },
        signal,
      );
      return { state: "finished", output };
    } catch (error) {
      if (error instanceof RunCancelledError) throw error;
      if (signal.aborted) return { state: "stopped" };
      return { state: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async #commit(
    { number, row, parameters }: TrialState,
    fold: number,
    outcome: FoldOutcome<FitFoldOutput>,
  ): Promise<void> {
    if (outcome.state === "stopped") return;
    if (outcome.state === "failed") {
      const { reason } = outcome;
      await this.#driver.append({ type: "fold_failed", trial: number, fold, reason });
      return;
    }
    const { predictions, curve, model, ...rest } = outcome.output;
    const { store } = this.#driver.options;
    await store.putArtifact(fitArtifact(number, fold), model);
    const kept = packPredictions(predictions, curve);
    await store.putArtifact(predictionsArtifact(number, fold), kept);
    this.#seconds.observe(row, parameters, rest.seconds);
    await this.#driver.append({ type: "fold_finished", trial: number, fold, ...rest });
    this.#arm();
  }

  // Order, and what is refused

  /**
   * The longest first, so that a step does not end with one thread at work; where the time may end
   * in this step, the order of the numbers, so that what is finished then are the first.
   */
  #inOrder(trials: readonly TrialState[]): readonly TrialState[] {
    const { threads } = this.#driver.options.pool;
    const priced = trials.map((trial) => ({ trial, seconds: this.#secondsLeft(trial) }));
    const total = priced.reduce((sum, { seconds }) => sum + seconds, 0);
    const sure = total / threads < SURE_SHARE * this.#timeLeft();
    if (this.#hasBudget && !sure) return trials;
    return priced.sort((a, b) => descending(a.seconds, b.seconds)).map(({ trial }) => trial);
  }

  /** Expected seconds of the folds that a trial has not finished; Infinity where unknown. */
  #secondsLeft(trial: TrialState, bound: "expected" | "low" = "expected"): number {
    const estimate = this.#seconds.predict(trial.row, trial.parameters);
    const folds = trial.folds.filter((fold) => fold === undefined).length;
    return estimate ? estimate[bound] * folds : Number.POSITIVE_INFINITY;
  }

  /** Refusals that do not depend on the clock. */
  async #refuseBeforehand(trials: readonly TrialState[]): Promise<void> {
    const { config } = this.#driver.options;
    this.#weighFinished(trials[0].step);
    for (const trial of trials) {
      if (trial.state !== "running" || trial.folds.some((fold) => fold !== undefined)) continue;
      const reason = config.trialsRefused.includes(trial.number)
        ? "The configuration names it among the trials that are not run."
        : this.#tooLarge(trial);
      if (reason) await this.#refuse(trial, reason);
    }
  }

  /** Learns the bytes of earlier steps' folds alone: what is refused must not depend on timing. */
  #weighFinished(step: number): void {
    const { trials } = this.#driver.state;
    while (this.#weighed < trials.length && trials[this.#weighed].step < step) {
      const { row, parameters, folds } = trials[this.#weighed++];
      for (const fold of folds) {
        if (fold?.state === "finished") this.#bytes.observe(row, parameters, fold.bytes);
      }
    }
  }

  #tooLarge(trial: TrialState): string | null {
    const budget = this.#driver.options.config.memoryBudgetBytes;
    const estimate = this.#bytes.predict(trial.row, trial.parameters);
    if (budget == null || !estimate || this.#dataBytes + estimate.expected <= budget) return null;
    return `A fit would hold about ${mebibytes(estimate.expected)} beside the data's ${mebibytes(this.#dataBytes)}; the memory budget is ${mebibytes(budget)}.`;
  }

  #fitsBeside(trial: TrialState, running: readonly TrialState[]): boolean {
    const budget = this.#driver.options.config.memoryBudgetBytes;
    if (budget == null) return true;
    const bytes = [trial, ...running].map(
      ({ row, parameters }) => this.#bytes.predict(row, parameters)?.expected ?? 0,
    );
    return this.#dataBytes + bytes.reduce((sum, each) => sum + each, 0) <= budget;
  }

  /** False where even a favourable estimate of the trial's time does not fit what is left. */
  #admits(trial: TrialState): boolean {
    if (!this.#hasBudget || !this.#someAreComplete()) return true;
    const seconds = this.#secondsLeft(trial, "low");
    const left = this.#timeLeft();
    if (!Number.isFinite(seconds) || seconds <= left) return true;
    this.#refusals.push(
      this.#refuse(
        trial,
        `Its folds would take ${seconds.toFixed(1)} s or more; the search has ${Math.max(0, left).toFixed(1)} s of the time budget left.`,
      ),
    );
    return false;
  }

  async #refuse(trial: TrialState, reason: string): Promise<void> {
    await this.#driver.append({ type: "trial_refused", trial: trial.number, reason });
  }

  // Time

  get #hasBudget(): boolean {
    return this.#driver.timeBudget !== null;
  }

  get #trialsAllowed(): number {
    return this.#driver.options.config.trialsAllowed ?? Number.POSITIVE_INFINITY;
  }

  /** Seconds that the search may still use; Infinity without a budget. */
  #timeLeft(): number {
    const { timeBudget, state, plan, options } = this.#driver;
    if (timeBudget === null) return Number.POSITIVE_INFINITY;
    const { ensemble, importanceRows } = options.config;
    const models = this.#driver.objectives.length > 1 ? USUAL_SWEEP_MODELS : 1;
    const finish = finishEstimate(state.trials, { plan, ensemble, importanceRows, models });
    // What goes beyond is cut short in the end (see `affordable-rows.ts`).
    const uncounted = Math.max(0, finish.importance - IMPORTANCE_SHARE * timeBudget);
    return timeBudget - this.#driver.elapsed - (finish.total - uncounted);
  }

  /** A budget never stops a run before it has one trial to make a model of. */
  #isOver(): boolean {
    return this.#stopping !== null || (this.#someAreComplete() && this.#timeLeft() <= 0);
  }

  #someAreComplete(): boolean {
    return this.#driver.state.trials.some(isComplete);
  }

  /** Stops what runs when the time of the search ends; asked anew whenever that moment moves. */
  #arm(): void {
    this.#disarm();
    if (!this.#hasBudget || this.#stopping || !this.#someAreComplete()) return;
    const milliseconds = 1000 * Math.max(0, this.#timeLeft());
    this.#disarm = this.#driver.clock.after(milliseconds, () => {
      if (!this.#isOver()) this.#arm();
      else this.#stopping ??= this.#stopWhatRuns();
    });
  }

  async #stopWhatRuns(): Promise<void> {
    await this.#driver.options.pool.abort(this.#stop);
    for (const [arena, checkpoint] of this.#checkpoints) arena.restore(checkpoint);
  }

  /**
   * Trials that the end of the time cut off, among others that were finished: what was finished is
   * kept, and the cut off ones are named, for a rerun to leave them out. If hardly any trial behind
   * the first cut off one was finished, those are dropped instead, and a number says it all.
   */
  async #refuseTheCutOff(trials: readonly TrialState[]): Promise<void> {
    const isOpen = (trial: TrialState): boolean =>
      trial.state === "running" &&
      !isComplete(trial) &&
      !trial.folds.some((fold) => fold?.state === "failed");
    const first = trials.findIndex(isOpen);
    const last = trials.findLastIndex(isComplete);
    const behind = trials.slice(first).filter(isComplete).length;
    const before = this.#driver.state.trials.slice(0, trials[first]?.number).some(isComplete);
    if (first < 0 || last < first) return;
    if (before && behind <= this.#driver.options.pool.threads) return;
    for (const trial of trials.slice(first, last).filter(isOpen)) {
      await this.#refuse(trial, `It was not finished when ${this.#outOfTime().toLowerCase()}`);
    }
  }

  #outOfTime(): string {
    return `The time budget of ${this.#driver.timeBudget} s ran out.`;
  }

  /** Keeps the trials before the first one that was not run to its end. */
  async #stopSearch(reason: string): Promise<void> {
    const { trials } = this.#driver.state;
    const open = trials.findIndex((trial) => trial.state === "running");
    const end = open < 0 ? trials.length : open;
    const kept = trials.slice(0, end);
    const last = kept.findLastIndex((trial) => trial.state !== "refused");
    await this.#driver.append({
      type: "search_stopped",
      reason,
      trials: kept.filter((trial) => trial.state === "finished").length,
      allowed: last + 1,
    });
  }
}

function descending(a: number, b: number): number {
  return a === b ? 0 : a > b ? -1 : 1;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
