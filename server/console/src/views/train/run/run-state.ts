/**
 * A run as its events tell it, for ten thousand trials: each event changes what it touches and nothing is
 * counted anew. `version` rises with every change, so that who draws knows whether there is something new.
 */

import {
  isRecord,
  listOf,
  numberOf,
  type Plan,
  planOf,
  type ScoresByMetric,
  type Selection,
  scoresOf,
  selectionOf,
  textOf,
  type Values,
} from "./entries.ts";

export const TRIAL_STATES = [
  "running",
  "finished",
  "failed",
  "pruned",
  "refused",
  "dropped",
] as const;
export type TrialState = (typeof TRIAL_STATES)[number];

export interface Trial {
  readonly number: number;
  readonly family: string;
  /** Place among the plan's families. */
  readonly row: number;
  readonly parameters: Values;
  state: TrialState;
  /** By fold, of the first metric; undefined until it has ended. */
  readonly folds: (number | null | undefined)[];
  /** Means over the folds; null until finished. */
  scores: ScoresByMetric | null;
  /** Of the first metric; NaN until finished, and where it is undefined. */
  score: number;
  /** Standard deviation over the folds; NaN of fewer than two. */
  spread: number;
  reason: string;
  seconds: number;
  /** What a fit held at most. */
  bytes: number;
  /** Rises with each change of it. */
  revision: number;
}

export interface LogLine {
  readonly at: string;
  readonly text: string;
}

/** A trial that was at work when its run ended, as it does where it is cancelled, was stopped. */
export const shownState = ({ state }: Pick<Trial, "state">, hasEnded: boolean): string =>
  hasEnded && state === "running" ? "stopped" : state;

export class RunLog {
  version = 0;
  phase = "new";
  plan: Plan | null = null;
  /** By number. */
  trials: Trial[] = [];
  /** Numbers of finished trials as they ended. */
  finished: number[] = [];
  /** The best score when each of `finished` had ended. */
  bestSoFar: number[] = [];
  best: Trial | null = null;
  counts: Record<TrialState, number> = noCounts();
  selections: readonly Selection[] = [];
  stopped = "";
  lines: LogLine[] = [];
  /** Seconds of all fits, added over threads. */
  fitSeconds = 0;
  largestFit = 0;
  /** Whether lower scores of the first metric are better. */
  readonly #isLower: (metric: string) => boolean;

  constructor(isLower: (metric: string) => boolean) {
    this.#isLower = isLower;
  }

  get metric(): string {
    return this.plan?.metrics[0] ?? "";
  }

  get isLowerBetter(): boolean {
    return this.#isLower(this.metric);
  }

  apply(event: Values): void {
    this.version += 1;
    const type = textOf(event["type"]);
    const line = this.#change(type, event);
    if (line !== "") this.lines.push({ at: textOf(event["at"]), text: line });
  }

  /** @returns what the log says of it; empty of what is told by another event */
  #change(type: string, event: Values): string {
    const trial = this.trials[numberOf(event["trial"])];
    if (trial) trial.revision += 1;
    const reason = textOf(event["reason"]);
    switch (type) {
      case "planned":
        return this.#begin(event);
      case "step_asked": {
        const asked = listOf(event["trials"]);
        for (const each of asked) if (isRecord(each)) this.#ask(each);
        return `Step ${numberOf(event["step"]) + 1}: ${asked.length} trials are asked for.`;
      }
      case "fold_finished":
        if (trial) this.#fold(trial, event);
        return "";
      case "fold_failed":
        if (trial) trial.folds[numberOf(event["fold"])] = null;
        return `Trial ${numberOf(event["trial"])}, fold ${numberOf(event["fold"])} failed: ${reason}`;
      case "trial_finished":
        if (trial) this.#finish(trial, scoresOf(event["scores"]));
        return "";
      case "trial_failed":
      case "trial_pruned":
      case "trial_refused": {
        const state = ENDS[type];
        if (trial) {
          const wasRanked = trial.state === "finished";
          this.#move(trial, state);
          trial.reason = reason;
          if (wasRanked) this.#rankAnew();
        }
        return `Trial ${numberOf(event["trial"])} was ${ENDED[state]}: ${reason}`;
      }
      case "search_stopped":
        this.#stop(reason, event["allowed"]);
        return `The search ends: ${reason}`;
      case "selected":
        this.selections = listOf(event["selections"]).flatMap(selectionOf);
        this.phase = "fitting";
        return this.selections.length > 1
          ? `${this.selections.length} models are selected.`
          : `The model is selected: ${memberCount(this.selections[0]?.members.length ?? 0)}.`;
      case "fitted":
        return `Model ${numberOf(event["model"]) + 1} is fitted.`;
      case "done":
        this.phase = "done";
        return "All models are saved.";
      default:
        return "";
    }
  }

  #begin(event: Values): string {
    const anew = textOf(event["anew"]);
    this.plan = planOf(event["plan"]);
    this.phase = "searching";
    this.trials = [];
    this.finished = [];
    this.bestSoFar = [];
    this.best = null;
    this.counts = noCounts();
    this.selections = [];
    this.stopped = "";
    this.fitSeconds = 0;
    this.largestFit = 0;
    const names = this.plan?.families.map(({ family }) => family).join(", ") ?? "";
    return `${anew === "" ? "The run is planned" : `The run begins anew (${anew})`}: ${names}.`;
  }

  #ask(asked: Values): void {
    const row = numberOf(asked["row"]);
    const number = numberOf(asked["trial"]);
    this.trials[number] = {
      number,
      row,
      family: this.plan?.families[row]?.family ?? "",
      parameters: isRecord(asked["parameters"]) ? asked["parameters"] : {},
      state: "running",
      folds: new Array<undefined>(this.plan?.folds ?? 0).fill(undefined),
      scores: null,
      score: Number.NaN,
      spread: Number.NaN,
      reason: "",
      seconds: 0,
      bytes: 0,
      revision: 0,
    };
    this.counts.running += 1;
  }

  #fold(trial: Trial, event: Values): void {
    trial.folds[numberOf(event["fold"])] = scoresOf(event["scores"])[this.metric] ?? null;
    const seconds = numberOf(event["seconds"]);
    const bytes = numberOf(event["bytes"]);
    trial.seconds += seconds;
    trial.bytes = Math.max(trial.bytes, bytes);
    this.fitSeconds += seconds;
    this.largestFit = Math.max(this.largestFit, bytes);
    // Its step may go on for minutes before the trial is said to have finished.
    const mean = meanOf(trial.folds);
    if (trial.state === "running" && mean !== null) this.#finish(trial, { [this.metric]: mean });
  }

  #finish(trial: Trial, scores: ScoresByMetric): void {
    const before = trial.score;
    const isKnown = trial.state === "finished";
    if (!isKnown) this.#move(trial, "finished");
    trial.scores = scores;
    trial.score = scores[this.metric] ?? Number.NaN;
    trial.spread = deviation(trial.folds);
    if (!isKnown) this.#rank(trial);
    else if (Math.abs(trial.score - before) > ROUNDING * Math.abs(before)) this.#rankAnew();
    else trial.score = before;
  }

  #rank(trial: Trial): void {
    if (Number.isNaN(trial.score)) return;
    if (this.best === null || this.isBetter(trial.score, this.best.score)) this.best = trial;
    this.finished.push(trial.number);
    this.bestSoFar.push(this.best.score);
  }

  isBetter(score: number, than: number): boolean {
    return this.isLowerBetter ? score < than : score > than;
  }

  #stop(reason: string, allowed: unknown): void {
    this.stopped = reason;
    const first = typeof allowed === "number" ? allowed : this.trials.length;
    for (const trial of this.trials) {
      if (trial?.state === "running" || (trial && trial.number >= first)) {
        this.#move(trial, "dropped");
        if (trial.reason === "") trial.reason = "The search ended before it counted.";
      }
    }
    this.#rankAnew();
  }

  /** The curve of those that are finished still, by their scores as they are now. */
  #rankAnew(): void {
    const kept = this.finished.filter((number) => this.trials[number]?.state === "finished");
    this.finished = [];
    this.bestSoFar = [];
    this.best = null;
    for (const number of kept) {
      const trial = this.trials[number];
      if (trial) this.#rank(trial);
    }
  }

  #move(trial: Trial, to: TrialState): void {
    this.counts[trial.state] -= 1;
    this.counts[to] += 1;
    trial.state = to;
    trial.revision += 1;
  }
}

const ENDS = {
  trial_failed: "failed",
  trial_pruned: "pruned",
  trial_refused: "refused",
} as const;
const ENDED = { failed: "ended by a failure", pruned: "pruned", refused: "refused" } as const;

const noCounts = (): Record<TrialState, number> => ({
  running: 0,
  finished: 0,
  failed: 0,
  pruned: 0,
  refused: 0,
  dropped: 0,
});

const memberCount = (members: number): string =>
  members === 1 ? "one trial" : `a blend of ${members} trials`;

/** By so much of itself a mean over folds may differ between here and the service. */
const ROUNDING = 1e-9;

/** @returns null unless all folds have scores */
function meanOf(folds: readonly (number | null | undefined)[]): number | null {
  let sum = 0;
  for (const value of folds) {
    if (typeof value !== "number") return null;
    sum += value;
  }
  return folds.length === 0 ? null : sum / folds.length;
}

function deviation(folds: readonly (number | null | undefined)[]): number {
  const known = folds.filter((value) => typeof value === "number");
  if (known.length < 2) return Number.NaN;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (known.length - 1));
}
