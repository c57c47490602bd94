/** Scores of trials: their means over folds, and the losses that order them. */

import { toLoss } from "../../metrics/index.ts";
import { metricByName } from "../../tasks/fitting-metrics.ts";
import type { Scores } from "./events.ts";
import type { TrialState } from "./state.ts";

/**
 * Mean of each metric over the folds of a trial, summed in fold order; null where one fold's is
 * undefined.
 */
export function meanScores(trial: TrialState, metrics: readonly string[]): Scores {
  return Object.fromEntries(metrics.map((metric) => [metric, meanScore(trial, metric)]));
}

function meanScore(trial: TrialState, metric: string): number | null {
  let sum = 0;
  for (const fold of trial.folds) {
    const score = fold?.state === "finished" ? fold.scores[metric] : null;
    if (score === null) return null;
    sum += score;
  }
  return sum / trial.folds.length;
}

/** The trial's scores as soon as all its folds are in, told or not; for people who wait. */
export function knownScores(trial: TrialState, metrics: readonly string[]): Scores | null {
  if (trial.scores) return trial.scores;
  return trial.folds.every((fold) => fold?.state === "finished")
    ? meanScores(trial, metrics)
    : null;
}

/** The loss that orders trials: a mean fold score as a loss; an undefined one is worse than any. */
export function lossOf(metric: string, score: number | null): number {
  return score === null ? Number.POSITIVE_INFINITY : toLoss(metricByName(metric), score);
}
