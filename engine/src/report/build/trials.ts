/** The trials as the report lists them: scores, spread over folds, time, and why some ended early. */

import type { Scores } from "../../trainer/log/events.ts";
import { lossOf } from "../../trainer/log/scores.ts";
import type { RunState, TrialState } from "../../trainer/log/state.ts";
import type { TrialSection } from "../document.ts";

/** @param foldRows held-out rows of each fold */
export function trialSections(
  state: RunState,
  metrics: readonly string[],
  foldRows: readonly number[],
): TrialSection[] {
  const weights = new Map(state.selections[0]?.members.map((each) => [each.trial, each.weight]));
  return state.trials.map((trial) => {
    const folds = trial.folds.map((fold) =>
      fold?.state === "finished" ? (fold.scores[metrics[0]] ?? null) : null,
    );
    return {
      number: trial.number,
      family: trial.family,
      state: trial.state,
      scores: trial.scores ? { ...trial.scores } : meanOfFinished(trial, metrics),
      folds,
      deviation: deviation(folds.filter((fold) => fold !== null)),
      seconds: trial.folds.reduce(
        (sum, fold) => sum + (fold?.state === "finished" ? fold.seconds : 0),
        0,
      ),
      predictSeconds: predictSecondsOf(trial, foldRows),
      parameters: { ...trial.parameters },
      reason: trial.reason,
      weight: weights.get(trial.number) ?? 0,
    };
  });
}

/** Of 1,000 rows, from the folds' own predicting and scoring. */
function predictSecondsOf(trial: TrialState, foldRows: readonly number[]): number | null {
  let seconds = 0;
  let rows = 0;
  for (const [fold, end] of trial.folds.entries()) {
    if (end?.state !== "finished") continue;
    seconds += end.predictSeconds;
    rows += foldRows[fold];
  }
  return rows === 0 ? null : (1000 * seconds) / rows;
}

/** Finished trials by the first metric, best first. */
export function leaderboard(trials: readonly TrialSection[], metric: string): number[] {
  return trials
    .filter((trial) => trial.state === "finished")
    .map(({ number, scores }) => ({ number, loss: lossOf(metric, scores?.[metric] ?? null) }))
    .sort((a, b) => (a.loss === b.loss ? a.number - b.number : a.loss < b.loss ? -1 : 1))
    .map(({ number }) => number);
}

/** Of a trial that did not run all its folds; null where it finished none. */
function meanOfFinished(trial: TrialState, metrics: readonly string[]): Scores | null {
  const done = trial.folds.flatMap((fold) => (fold?.state === "finished" ? [fold.scores] : []));
  if (done.length === 0) return null;
  return Object.fromEntries(
    metrics.map((metric) => {
      const known = done.flatMap((scores) => scores[metric] ?? []);
      const sum = known.reduce((total, value) => total + value, 0);
      return [metric, known.length === done.length ? sum / known.length : null];
    }),
  );
}

function deviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
