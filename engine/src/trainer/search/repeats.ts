/**
 * Late in a search of few rows under a time budget: which members of the blend are fitted again with other
 * random numbers. A row's prediction by one fit has the luck of that fit in it, where the model averages the
 * fits of all folds; the mean over a trial and its repeats has less, so that weights and calibrations fitted to
 * it suit the model better, and learners that depend on luck are not held for worse than they are
 * (`docs/decisions/repeats.md`). What is asked is logged, and named on the card.
 */

import { taskType } from "../../tasks/index.ts";
import type { TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import { FEW_ROWS } from "../plan/plan-folds.ts";

/** Of a time budget, its last part, in which members are fitted again. */
const LATE_SHARE = 1 / 3;
/** Trials a row of the matrix, on average, that come first: until then others bring more. */
const LEAST_TRIALS = 2;
/** Of each trial: a second and a third bring hardly more, and each is asked for every row that is predicted. */
const MOST_REPEATS = 1;
/** What a member weighs at least that is worth it. */
const LEAST_WEIGHT = 0.1;
/** A step of them takes that part of the time left at most, unless it is a single one. */
const STEP_SHARE = 0.5;

/** Whether a run's blend is made of fits of folds of few rows, that were not taught. */
export function mayRepeat({ plan, options, objectives }: OpenRun): boolean {
  const { run, config } = options;
  if (plan.rows > FEW_ROWS || plan.folds < 2 || objectives.length > 1) return false;
  return config.ensemble && run.taught === null && taskType(plan.task.kind).framing === null;
}

/**
 * Numbers of the trials to be fitted again, those that weigh most first; empty where it is too early, or none
 * fits any more.
 *
 * @param weights in the blend so far, by trial
 * @param rows of the matrix
 * @param left seconds that the search has
 */
export function repeatsOfStep(
  trials: readonly TrialState[],
  weights: ReadonlyMap<number, number>,
  { left, timeBudget, threads, rows }: Record<"left" | "rows" | "threads" | "timeBudget", number>,
): readonly number[] {
  const own = trials.filter(({ repeats }) => repeats === null).length;
  if (left > LATE_SHARE * timeBudget || own < LEAST_TRIALS * rows) return [];
  const origins = new Map<number, number>();
  for (const [trial, weight] of weights) {
    const origin = trials[trial].repeats ?? trial;
    origins.set(origin, (origins.get(origin) ?? 0) + weight);
  }
  const asked: number[] = [];
  let total = 0;
  const able = [...origins.keys()].filter(
    (origin) => (origins.get(origin) ?? 0) >= LEAST_WEIGHT && hasLuck(trials[origin], trials),
  );
  const timesOf = (origin: number): number =>
    trials.filter(({ repeats }) => repeats === origin).length +
    asked.filter((each) => each === origin).length;
  for (;;) {
    const most = asked.length > 0 ? STEP_SHARE * left : left;
    const fitting = able
      .filter((origin) => timesOf(origin) < MOST_REPEATS)
      .filter((origin) => total + secondsOf(trials[origin]) / threads <= most)
      .sort((a, b) => (origins.get(b) ?? 0) - (origins.get(a) ?? 0) || a - b);
    if (fitting.length === 0) return asked;
    asked.push(fitting[0]);
    total += secondsOf(trials[fitting[0]]) / threads;
  }
}

/** Whether other random numbers may give another fit: where one repeat came to equal scores, none of its row will. */
function hasLuck({ row, folds }: TrialState, trials: readonly TrialState[]): boolean {
  if (folds.some((fold) => fold?.state !== "finished" || fold.cut !== null)) return false;
  return !trials.some((trial) => {
    if (trial.repeats === null || trial.row !== row || trial.state !== "finished") return false;
    return isEqual(trial.scores, trials[trial.repeats].scores);
  });
}

function isEqual(one: TrialState["scores"], other: TrialState["scores"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function secondsOf({ folds }: TrialState): number {
  return folds.reduce((sum, fold) => sum + (fold?.state === "finished" ? fold.seconds : 0), 0);
}
