/**
 * The time of a search under a budget: what is left of it, what one fit may have of that, and the
 * end. `docs/decisions/budget.md` says what may be decided by the clock, and how the card repeats it.
 *
 * Near the end fits are asked to stop, and give what they have. Those that do not listen in time are
 * ended with their threads.
 */

import { Arena, type ArenaCheckpoint } from "../../compute/arena.ts";
import type { FitBounds } from "../../families/fit-limits.ts";
import type { TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import { refitsBlends } from "../outcome/refits.ts";
import {
  type FinishEstimate,
  finishEstimate,
  isComplete,
  keptSeconds,
  scoredRows,
} from "../prices/cost-finish.ts";
import { type FoldFigures, FoldTimes } from "./fold-times.ts";

/** Models that a sweep may give, as its estimate counts them: many weights agree on one. */
const USUAL_SWEEP_MODELS = 6;
/** Of a time budget, that the importance of columns may take from the search. */
const IMPORTANCE_SHARE = 0.03;
/** What a look at the blend says of the price of selecting: no more than so many times as much or as little. */
const MOST_PACE = 4;
/** One trial may have at most a share of what is left: 1 / this, or one more than the rows. */
const TRIALS_AT_LEAST = 4;
/** Of what is left, that a trial may be given which is known to need so much. */
const WHOLE_SHARE = 0.8;
/** Of a time budget, and seconds, that the first trial may have for a model although the search has no time. */
const PROMISED = { share: 0.1, seconds: 0.5, grace: 0.5 };
/** Processor seconds of a fit, before other trials have theirs; a family's first trial is not begun with less than half. */
const LEAST_LEARNING = 0.05;
/** Of a fold's share: the wall time that it may take at most, and at least although others took longer. */
const PATIENCE = { most: 2, least: 0.5 };
/** What a family's first trial may take beyond the price of it. */
const PRICE_MARGIN = 1.5;
/** A trial that would be cut to less than this share of its usual time is not begun. */
const WORTHWHILE_SHARE = 0.5;
const WORTHWHILE_CUT_SHARE = 0.15;
/** Seconds beyond the end of the search that are waited for fits which were asked to stop, at most. */
const LONGEST_WAIT = 2;

export class SearchTime {
  readonly #driver: OpenRun;
  readonly #checkpoints: readonly (readonly [Arena, ArenaCheckpoint])[];
  readonly #times: FoldTimes;
  /** One word that all fits of the search share: 1 asks them to stop. */
  readonly #stopWord = new Int32Array(new SharedArrayBuffer(4));
  readonly #abort = new AbortController();
  #price: { readonly trials: number; readonly finish: FinishEstimate } | null = null;
  #pace = 1;
  /** Of the blend when it was last looked at; null: that may well be among them. */
  #members: readonly TrialState[] | null = null;
  #complete = 0;
  #ending: Promise<void> | null = null;
  #isClosing = false;
  #disarm: () => void = () => undefined;
  /** Of the elapsed time, until which the first trial may learn; null before it is begun. */
  #promisedUntil: number | null = null;
  /** By trial: what each of its folds may have, as it was when the trial was begun. */
  readonly #shares = new Map<number, { readonly seconds: number; readonly processor: number }>();

  constructor(driver: OpenRun) {
    this.#driver = driver;
    const { matrix } = driver.plan;
    this.#times = new FoldTimes(matrix.map(({ space }) => space));
    const { data, foldData } = driver.options.run;
    const memories = new Set([data, ...(foldData ?? [])].map(({ arena }) => arena.memory));
    const arenas = [...memories].map((memory) => Arena.attach({ memory }));
    this.#checkpoints = arenas.map((arena) => [arena, arena.checkpoint()]);
    for (const trial of driver.state.trials) {
      for (const fold of trial.folds) if (fold?.state === "finished") this.observe(trial, fold);
    }
    this.#complete = driver.state.trials.filter(isComplete).length;
  }

  /** Held by the run's data. */
  get dataBytes(): number {
    return this.#checkpoints.reduce((sum, [arena]) => sum + arena.liveBytes, 0);
  }

  get isLimited(): boolean {
    return this.#driver.timeBudget !== null;
  }

  /** Aborted when the fits that run are ended with their threads. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Learns what a fold took. */
  observe(trial: TrialState, fold: FoldFigures): void {
    this.#times.observe(trial, fold);
  }

  /** A trial has all its folds: the phases to come cost more, and it may be stopped now. */
  completed(): void {
    this.#complete++;
  }

  /** Without one there is no model: until then nothing is cut off that cannot be had shorter. */
  get someAreComplete(): boolean {
    return this.#complete > 0;
  }

  /** The time is over, and goes on until one trial is complete. */
  get awaitsFirst(): boolean {
    return !this.someAreComplete && this.left() <= 0;
  }

  /** Seconds that selecting among the trials so far would take now. */
  get selecting(): number {
    return this.#finish(this.#driver.timeBudget ?? 0).selecting;
  }

  /**
   * Learns what would be selected now, and what it took to know it.
   *
   * @param expected seconds, as `selecting` had them
   * @param members numbers of the trials in the blend so far
   */
  lookedAt(seconds: number, expected: number, members: ReadonlySet<number>): void {
    const pace = (this.#pace * seconds) / Math.max(1e-3, expected);
    this.#pace = Math.min(MOST_PACE, Math.max(1 / MOST_PACE, pace));
    this.#members = this.#driver.state.trials.filter(({ number }) => members.has(number));
    this.#price = null;
  }

  /** Seconds that the search may still use; Infinity without a budget. */
  left(): number {
    const { timeBudget, elapsed } = this.#driver;
    if (timeBudget === null) return Number.POSITIVE_INFINITY;
    const { total, importance } = this.#finish(timeBudget);
    // What goes beyond is cut short in the end.
    const cut = Math.max(0, importance - IMPORTANCE_SHARE * timeBudget);
    return timeBudget - elapsed - keptSeconds(total - cut, timeBudget);
  }

  /** The same; while there is no model, not less than is promised to the first trial. */
  #learning(): number {
    const left = this.left();
    if (this.someAreComplete || !this.isLimited) return left;
    const { elapsed } = this.#driver;
    this.#promisedUntil ??= elapsed + this.#promised;
    return Math.max(left, this.#promisedUntil - elapsed);
  }

  /** Seconds that the first trial may have so that others have as much, or what is promised to it. */
  get shareOfFirst(): number {
    const left = Math.max(0, this.#learning());
    return Math.min(WHOLE_SHARE * left, Math.max(left / this.#fewTrials, this.#promised));
  }

  get #fewTrials(): number {
    return Math.min(TRIALS_AT_LEAST, 1 + this.#driver.plan.matrix.length);
  }

  /** Seconds. */
  get #promised(): number {
    return Math.min(PROMISED.seconds, PROMISED.share * (this.#driver.timeBudget ?? 0));
  }

  #finish(timeBudget: number): FinishEstimate {
    if (this.#price?.trials !== this.#complete) {
      const { state, plan, options, objectives } = this.#driver;
      const { ensemble, importanceRows } = options.config;
      const models = objectives.length > 1 ? USUAL_SWEEP_MODELS : 1;
      const context = {
        plan,
        ensemble,
        pace: this.#pace,
        refits: refitsBlends(options.run, options.config) ? options.pool.threads : null,
        importanceRows,
        models,
        contention: this.#driver.contentionAlone,
        reports: options.reports ?? true,
        scored: scoredRows(options.run.folds),
        storePrice: this.#driver.storePrice,
        timeBudget,
      };
      const finish = finishEstimate(state.trials, context, this.#members ?? undefined);
      this.#price = { trials: this.#complete, finish };
    }
    return this.#price.finish;
  }

  isOver(): boolean {
    if (this.#ending !== null) return true;
    if (this.someAreComplete) return this.#isAsked || this.left() <= 0;
    return this.awaitsFirst && this.#allFail();
  }

  /** Whether each row of the matrix that was asked has had a trial, and that failed: others would hardly do better. */
  #allFail(): boolean {
    const { state } = this.#driver;
    const failed = state.trials.filter(({ folds }) =>
      folds.some((fold) => fold?.state === "failed"),
    );
    const asked = new Set(state.trials.map(({ row }) => row)).size;
    return asked > 0 && new Set(failed.map(({ row }) => row)).size === asked;
  }

  /** Expected seconds of the folds that a trial has not finished; Infinity where unknown. */
  secondsLeft(trial: TrialState, bound: "expected" | "low" = "expected"): number {
    const estimate = this.#times.predict(trial.row, trial.parameters);
    const folds = trial.folds.filter((fold) => fold === undefined).length;
    return estimate ? estimate[bound] * folds : Number.POSITIVE_INFINITY;
  }

  /** Why a trial is not worth beginning in the time that is left; null where it is. */
  refusal(trial: TrialState): string | null {
    if (!this.isLimited || !this.someAreComplete) return null;
    const left = Math.max(0, this.left());
    const usual = this.#times.predict(trial.row, trial.parameters)?.low;
    const longest = this.#times.longest(trial.row);
    const least = Math.max(this.#leastSeconds(trial.row), this.#times.coldSeconds(trial.row));
    const priced = usual === undefined ? this.#priced(trial.row) : 0;
    const seconds = usual ?? Math.max(longest, least, priced);
    const enough =
      usual === undefined
        ? Math.max(WORTHWHILE_CUT_SHARE * longest, WORTHWHILE_SHARE * Math.max(least, priced))
        : WORTHWHILE_SHARE * usual;
    if (this.#affordable(trial) >= enough) return null;
    const all = seconds * trial.folds.length;
    return `Its folds would take ${all.toFixed(1)} s or more; the search has ${left.toFixed(1)} s of the time budget left.`;
  }

  /**
   * What a fit may use. Empty without a budget. All folds of a trial may learn alike, by the processor time of
   * their threads: who uses the cores meanwhile, or was slow to begin, takes nothing from the others.
   */
  boundsOf(trial: TrialState): FitBounds {
    if (!this.isLimited) return {};
    const share = this.#shareOf(trial);
    const open = trial.folds.filter((fold) => fold === undefined).length;
    const waves = Math.max(1, Math.ceil(open / this.#driver.options.pool.threads));
    const left = this.#learning() / waves - this.#times.tail(trial.row);
    const { most, least } = PATIENCE;
    return {
      seconds: Math.min(most * share.seconds, Math.max(least * share.seconds, left)),
      processorSeconds: share.processor,
      stop: this.#stopWord,
    };
  }

  /** Of each fold, to learn: of the first trial at least half of what it is given, however long its end may be. */
  #shareOf(trial: TrialState): { readonly seconds: number; readonly processor: number } {
    const known = this.#shares.get(trial.number);
    if (known) return known;
    const all = this.#affordable(trial);
    const least = this.someAreComplete ? 0 : all / 2;
    const seconds = Math.max(least, all - this.#times.tail(trial.row));
    const share = { seconds, processor: seconds / this.#driver.contention };
    this.#shares.set(trial.number, share);
    return share;
  }

  /**
   * Rounds of boosting that each fold of a trial will have time for, about; null for other families and without a budget.
   *
   * @param asked trials of its step, that are to have as much, before any has ended
   */
  roundsOf(
    { row, parameters }: Pick<TrialState, "row" | "parameters">,
    asked: number,
  ): number | null {
    const price = this.#driver.plan.matrix[row].roundSeconds;
    if (price === undefined || !this.isLimited) return null;
    const ofRound = this.#times.secondsOfIteration(row) ?? price * this.#driver.contention;
    const trials = this.someAreComplete ? 1 : Math.max(1, asked / this.#fewTrials);
    const all = this.#affordable({ row, parameters }) / trials;
    return Math.max(all / 2, all - this.#times.tail(row)) / ofRound;
  }

  /**
   * Seconds for one fold: a fair share of what is left, so that one trial does not eat the time of
   * all others, or as much as the trial is known to need, if that is there.
   */
  #affordable(trial: Pick<TrialState, "row" | "parameters">): number {
    const { plan, options } = this.#driver;
    const few = this.#fewTrials;
    // The first gives a model at all; then each row that has had none is to have as much as the others.
    const trials = this.someAreComplete ? Math.max(few, 1 + this.#untried()) : few;
    // Seconds of wall time that a second in each of the folds comes to.
    const wide = Math.max(1, plan.folds / options.pool.threads);
    const left = Math.max(0, this.#learning()) / wide;
    const least = this.#leastSeconds(trial.row);
    const promised = this.someAreComplete ? 0 : this.#promised / wide;
    const fair = Math.max(left / trials, least, promised);
    const whole = WHOLE_SHARE * left;
    const priced = this.#priced(trial.row);
    // Where not even the whole would do, more than a fair share would only be lost.
    const wanted = priced <= whole ? PRICE_MARGIN * priced : 0;
    const expected = this.#times.predict(trial.row, trial.parameters)?.high ?? wanted;
    return Math.min(whole, Math.max(fair, expected));
  }

  /** Seconds of a fold of a family's defaults, before one was measured; 0 where nobody knows. */
  #priced(row: number): number {
    return (this.#driver.plan.matrix[row].fitSeconds ?? 0) * this.#driver.contention;
  }

  /** Of a fold that learns something. */
  #leastSeconds(row: number): number {
    return LEAST_LEARNING * this.#driver.contention + this.#times.tail(row);
  }

  /** Rows of the matrix that were asked, and none of whose trials has come to an end. */
  #untried(): number {
    const { state } = this.#driver;
    const ended = state.trials.filter((trial) => trial.state !== "running" || isComplete(trial));
    const asked = new Set(state.trials.map(({ row }) => row)).size;
    return asked - new Set(ended.map(({ row }) => row)).size;
  }

  /** Ends what runs when the time of the search does; asked anew whenever that moment moves. */
  arm(): void {
    this.#disarm();
    if (!this.isLimited || this.#ending) return;
    // Folds of the first trial that others on the cores held up may still learn as much as its first ones.
    const all = this.#learning() + (this.someAreComplete ? 0 : PROMISED.grace * this.#promised);
    const left = this.#isClosing ? Math.min(0, all) : all;
    const open = this.#driver.state.trials.filter(({ state }) => state === "running");
    const tail = Math.max(0, ...open.map(({ row }) => this.#times.tail(row)));
    // Threads that are ended are started anew, which takes as long as is waited for them here.
    const due = this.#isAsked
      ? left + Math.min(LONGEST_WAIT, this.#driver.startSeconds)
      : left - tail;
    this.#disarm = this.#driver.clock.after(1000 * Math.max(0, due), () => this.#end());
  }

  /**
   * The search is over. Under a budget, fits that nobody waits for are asked to stop, and ended with their threads
   * if they do not at once: what follows has the threads and the time. What ended threads held is given back here
   * alone: nothing of the search touches the arenas any more, and nothing that follows does yet.
   *
   * @param settled resolves when no fit of the search runs
   */
  async close(settled: () => Promise<void>): Promise<void> {
    if (!this.isLimited) return;
    this.#isClosing = true;
    Atomics.store(this.#stopWord, 0, 1);
    this.arm();
    await settled();
    this.#disarm();
    if (this.#ending === null) return;
    await this.#ending;
    for (const [arena, checkpoint] of this.#checkpoints) arena.restore(checkpoint);
  }

  #end(): void {
    if (this.#isAsked && this.someAreComplete) {
      this.#ending ??= this.#driver.options.pool.abort(this.#abort);
      return;
    }
    Atomics.store(this.#stopWord, 0, 1);
    if (this.someAreComplete) this.arm();
  }

  get #isAsked(): boolean {
    return Atomics.load(this.#stopWord, 0) !== 0;
  }
}
