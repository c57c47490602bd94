/** Means over folds. */

import type { Scores } from "./events.ts";
import type { TrialState } from "./state.ts";

/** Mean of each metric over the folds of a trial, summed in fold order. */
export function meanScores(trial: TrialState, metrics: readonly string[]): Scores {
  const scores: Record<string, number> = {};
  for (const metric of metrics) {
    let sum = 0;
    for (const fold of trial.folds)
      sum += fold?.state === "finished" ? fold.scores[metric] : Number.NaN;
    scores[metric] = sum / trial.folds.length;
  }
  return scores;
}
