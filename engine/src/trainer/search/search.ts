/**
 * The search of a run: step after step of trials, each fold logged as it finishes, until the plan
 * is through, the time is spent, or the number of trials that the configuration allows is reached.
 *
 * `docs/decisions/budget.md` says what a time budget may change, and how the card repeats it.
 */

import { FitStoppedError } from "../../families/fit-limits.ts";
import { typeOf } from "../../tasks/index.ts";
import { AllTrialsFailedError, RunCancelledError } from "../config/errors.ts";
import type { AskedTrial } from "../log/events.ts";
import { lossOf, meanScores } from "../log/scores.ts";
import { describeStarved, starvedFolds } from "../log/starved-folds.ts";
import { searchIsOver, type TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import { type FitFoldOutput, fewerRows, LEAST_ROWS } from "../pool-tasks/fit-task.ts";
import { fitArtifact, packPredictions, predictionsArtifact } from "../pool-tasks/fold-artifact.ts";
import { isComplete } from "../prices/cost-finish.ts";
import { Allocation } from "./allocation.ts";
import { askStep } from "./ask.ts";
import { Decisions } from "./decisions.ts";
import { type FoldOutcome, runFolds } from "./fold-schedule.ts";
import { canBePruned, judge, type PruningContext } from "./pruning.ts";
import { raisedRate, withRate } from "./raised-rates.ts";
import { SearchMemory } from "./search-memory.ts";
import { SearchTime } from "./search-time.ts";

/** Below this share of the time left, a step is sure to end: its longest trials may come first. */
const SURE_SHARE = 0.5;

export class Search {
  readonly #driver: OpenRun;
  readonly #time: SearchTime;
  readonly #memory: SearchMemory;
  readonly #allocation: Allocation;
  readonly #decisions: Decisions;
  /** That have begun and not ended, those of trials that are decided among them. */
  readonly #fits = new Set<Promise<unknown>>();
  /** By row of the matrix: the training rows that its fits are held to; undefined: all. */
  readonly #rowsOf = new Map<number, number>();

  constructor(driver: OpenRun) {
    this.#driver = driver;
    this.#time = new SearchTime(driver);
    this.#memory = new SearchMemory(driver, this.#time.dataBytes);
    this.#allocation = new Allocation(driver, this.#time);
    this.#decisions = new Decisions(driver);
  }

  /** @throws AllTrialsFailedError, RunCancelledError */
  async run(): Promise<void> {
    const { state, plan } = this.#driver;
    try {
      while (!searchIsOver(state, plan)) await this.#advance();
    } finally {
      await this.#time.close(() => this.settled());
    }
    if (state.trials.some((trial) => trial.state === "finished")) return;
    const first = state.trials.find((trial) => trial.reason !== null);
    const stopped = state.stopped ? ` ${state.stopped.reason}` : "";
    throw new AllTrialsFailedError(
      `Every trial failed.${stopped} The first one (${first?.family ?? "none"}): ${first?.reason ?? "no reason was recorded"}`,
    );
  }

  /** Resolves when no fit of the search runs any more. What came of them is for those who began them. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#fits);
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
    if (this.#time.isOver()) return this.#stopSearch(this.#outOfTime());
    const asked = await this.#allocation.next();
    if (asked?.rows.length === 0) return this.#stopSearch(this.#outOfTime());
    const { leading } = this.#allocation;
    if (state.trials.length === 0 && leading?.rows) this.#rowsOf.set(leading.row, leading.rows);
    const trials = this.#hastened(
      askStep(state, plan, options.config, asked?.rows, asked?.repeated),
    );
    await this.#driver.append({ type: "step_asked", step: state.stepsAsked, trials });
  }

  /** With learning rates for the rounds that there is time for, or as a rerun is told. */
  #hastened(trials: readonly AskedTrial[]): readonly AskedTrial[] {
    const { plan, options } = this.#driver;
    const { ratesRaised } = options.config;
    return trials.map((trial, place) => {
      const { space } = plan.matrix[trial.row];
      const told = ratesRaised.find((each) => each.trial === trial.trial);
      if (told) return withRate(trial, space, told.rate);
      if (trial.repeats !== undefined || !this.#allocation.isOpen) return trial;
      const rounds = this.#time.roundsOf(trial, place === 0 ? 1 : trials.length);
      const rate = trial.parameters["learning_rate"];
      const all = trial.parameters["n_estimators"];
      if (rounds === null || typeof rate !== "number" || rounds >= Number(all)) return trial;
      return withRate(trial, space, raisedRate(rate, rounds, typeOf(plan.task).loss));
    });
  }

  async #runTrials(trials: readonly TrialState[]): Promise<void> {
    const { plan, options } = this.#driver;
    await this.#refuseBeforehand(trials);
    const context = this.#pruningContext();
    const left = trials.filter((trial) => trial.state === "running");
    for (const trial of left) if (this.#isJudged(trial, context)) await this.#prune(trial, context);
    this.#time.arm();
    await runFolds<FitFoldOutput>({
      trials: this.#inOrder(left),
      folds: plan.folds,
      threads: options.pool.threads,
      isJudged: (trial) => this.#isJudged(trial, context),
      admits: (trial) => this.#admits(trial),
      fits: (trial, running) => this.#fitsBeside(trial, running),
      isOver: () => this.#time.isOver(),
      run: (trial, fold) => this.#fit(trial, fold),
      commit: (trial, fold, outcome) => this.#commit(trial, fold, outcome),
      ends: (trial) => this.#prune(trial, context),
    });
    await this.#decisions.settled();
    if (this.#time.isOver()) await this.#refuseTheCutOff(trials);
    await this.#tell(trials);
    if (trials.some(({ state }) => state === "running")) {
      await this.#stopSearch(this.#outOfTime());
      return;
    }
    const allRefused = trials.every(({ state }) => state === "refused");
    if (!this.#time.isLimited || !allRefused || !this.#time.someAreComplete) return;
    // There may still be time for cheaper trials; where a step has all rows, the steps to come would all be refused.
    if (this.#allocation.isOpen) this.#allocation.leaveOut(trials.map(({ row }) => row));
    else await this.#stopSearch(this.#outOfTime());
  }

  /** In the order of trials, whatever order they ended in. */
  async #tell(trials: readonly TrialState[]): Promise<void> {
    const { plan, state } = this.#driver;
    const open = state.trials.findIndex(isOpen);
    const sure = open < 0 ? state.trials : state.trials.slice(0, open);
    const learned = sure.filter((each) => isComplete(each) && starvedFolds(each).length === 0);
    for (const trial of trials) {
      if (trial.state !== "running") continue;
      const failed = trial.folds.find((fold) => fold?.state === "failed");
      if (failed?.state === "failed") {
        const { reason } = failed;
        await this.#decisions.decide({ type: "trial_failed", trial: trial.number, reason });
        continue;
      }
      // What is behind a trial that was cut off is dropped with it.
      if (!isComplete(trial) || !sure.includes(trial)) continue;
      const isStarved = starvedFolds(trial).length > 0;
      if (isStarved && learned.some((each) => this.#isAsGood(each, trial))) {
        await this.#refuse(trial, describeStarved(trial));
      } else {
        const scores = meanScores(trial, plan.metrics);
        await this.#decisions.decide({ type: "trial_finished", trial: trial.number, scores });
      }
    }
  }

  /** By the metric that a model is selected by first. */
  #isAsGood(trial: TrialState, other: TrialState): boolean {
    const [metric] = this.#driver.objectives;
    const loss = (each: TrialState): number =>
      lossOf(metric, meanScores(each, [metric])[metric] ?? null);
    return loss(trial) <= loss(other);
  }

  // Pruning

  #pruningContext(): PruningContext {
    const { state, plan, objectives } = this.#driver;
    return { plan, objectives, trials: state.trials };
  }

  #isJudged(trial: TrialState, context: PruningContext): boolean {
    return this.#driver.options.config.pruning && canBePruned(trial, context);
  }

  /** Whether the trial was pruned, or ended otherwise before. */
  async #prune(trial: TrialState, context: PruningContext): Promise<boolean> {
    const { number } = trial;
    const verdict = judge(trial, context);
    if (verdict) await this.#decisions.decide({ type: "trial_pruned", trial: number, ...verdict });
    return this.#decisions.has(number);
  }

  // Folds

  #fit(trial: TrialState, fold: number): Promise<FoldOutcome<FitFoldOutput>> {
    const fit = this.#fitted(trial, fold).finally(() => this.#fits.delete(fit));
    this.#fits.add(fit);
    return fit;
  }

  async #fitted(trial: TrialState, fold: number): Promise<FoldOutcome<FitFoldOutput>> {
    const { run, config } = this.#driver.options;
    const { signal } = this.#time;
    const told = config.fitsCut.find((each) => each.trial === trial.number && each.fold === fold);
    for (;;) {
      const rows = told?.rows ?? this.#rowsOf.get(trial.row);
      const isLeast = rows !== undefined && rows <= LEAST_ROWS;
      try {
        const output = await this.#driver.fitFold(
          {
            run,
            family: trial.family,
            parameters: trial.parameters,
            trial: trial.number,
            fold,
            randomState: config.randomState,
            ...(rows === undefined ? {} : { rows }),
            bounds: {
              ...this.#time.boundsOf(trial),
              ...(isLeast ? { mustLearn: true } : {}),
              ...(told?.iterations === undefined ? {} : { iterations: told.iterations }),
            },
          },
          signal,
        );
        return { state: "finished", output };
      } catch (error) {
        if (error instanceof RunCancelledError) throw error;
        if (signal.aborted) return { state: "stopped" };
        if (!(error instanceof FitStoppedError)) {
          const reason = error instanceof Error ? error.message : String(error);
          return { state: "failed", reason };
        }
        if (this.#time.someAreComplete) {
          this.#refuse(trial, "A fit had not completed its first iteration when its time ran out.");
          return { state: "stopped" };
        }
        const known = this.#rowsOf.get(trial.row);
        // Another fold may have been stopped at the same number of rows.
        if (known === rows) {
          const all = run.folds[fold].train.length;
          this.#rowsOf.set(trial.row, fewerRows(known ?? all));
        }
      }
    }
  }

  async #commit(
    trial: TrialState,
    fold: number,
    outcome: FoldOutcome<FitFoldOutput>,
  ): Promise<void> {
    const { number } = trial;
    if (outcome.state === "stopped" || this.#decisions.has(number)) return;
    if (outcome.state === "failed") {
      const { reason } = outcome;
      await this.#driver.append({ type: "fold_failed", trial: number, fold, reason });
      return;
    }
    const { predictions, curve, model, contention, ...rest } = outcome.output;
    await this.#driver.keep(fitArtifact(number, fold), model);
    const kept = packPredictions(predictions, curve);
    await this.#driver.keep(predictionsArtifact(number, fold), kept);
    // Another of its folds may have had it refused meanwhile.
    if (this.#decisions.has(number)) return;
    this.#time.observe(trial, rest);
    this.#driver.observeContention(contention, rest.seconds);
    await this.#driver.append({ type: "fold_finished", trial: number, fold, ...rest });
    if (isComplete(trial)) {
      this.#time.completed();
      // Others of its row have the time that is left, which may be enough for all rows.
      if (number === 0 && this.#allocation.leading) this.#rowsOf.delete(trial.row);
    }
    this.#time.arm();
  }

  // Order, and what is refused

  /**
   * The longest first, so that a step does not end with one thread at work; where the time may end
   * in this step, the order of the numbers, so that what is finished then are the first.
   */
  #inOrder(trials: readonly TrialState[]): readonly TrialState[] {
    const { threads } = this.#driver.options.pool;
    const priced = trials.map((trial) => ({ trial, seconds: this.#time.secondsLeft(trial) }));
    const total = priced.reduce((sum, { seconds }) => sum + seconds, 0);
    const sure = total / threads < SURE_SHARE * this.#time.left();
    if (this.#time.isLimited && !sure) return trials;
    return priced.sort((a, b) => descending(a.seconds, b.seconds)).map(({ trial }) => trial);
  }

  /** Refusals that do not depend on the clock. */
  async #refuseBeforehand(trials: readonly TrialState[]): Promise<void> {
    const { config } = this.#driver.options;
    this.#memory.learn(trials[0].step);
    for (const trial of trials) {
      if (trial.state !== "running" || trial.folds.some((fold) => fold !== undefined)) continue;
      const reason = config.trialsRefused.includes(trial.number)
        ? "The configuration lists it among the trials not to run."
        : this.#memory.refusal(trial);
      if (reason) await this.#refuse(trial, reason);
    }
  }

  #fitsBeside(trial: TrialState, running: readonly TrialState[]): boolean {
    // Where the time is over without a finished trial, all that is waited for is one: another's folds would
    // only stand in its way.
    const isFirst = (each: TrialState) =>
      each !== trial && each.folds.every((fold) => fold?.state !== "failed");
    if (this.#time.awaitsFirst && running.some(isFirst)) return false;
    return this.#memory.holds([trial, ...running]);
  }

  /** False where the time that is left would cut the trial to little. */
  #admits(trial: TrialState): boolean {
    const reason = this.#time.refusal(trial);
    if (reason) this.#refuse(trial, reason);
    return reason === null;
  }

  #refuse({ number }: TrialState, reason: string): Promise<void> {
    return this.#decisions.decide({ type: "trial_refused", trial: number, reason });
  }

  get #trialsAllowed(): number {
    return this.#driver.options.config.trialsAllowed ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Trials that the end of the time cut off, among others that were finished: what was finished is
   * kept, and the cut off ones are named, for a rerun to leave them out. If hardly any trial behind
   * the first cut off one was finished, those are dropped instead, and a number says it all.
   */
  async #refuseTheCutOff(trials: readonly TrialState[]): Promise<void> {
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

/** Neither complete nor failed. */
function isOpen(trial: TrialState): boolean {
  const failed = trial.folds.some((fold) => fold?.state === "failed");
  return trial.state === "running" && !isComplete(trial) && !failed;
}

function descending(a: number, b: number): number {
  return a === b ? 0 : a > b ? -1 : 1;
}
