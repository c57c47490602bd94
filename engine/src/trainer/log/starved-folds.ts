/**
 * Folds that the clock ended when they had learned next to nothing beside the others of their trial: what its
 * scores and its mean of folds then show is the clock's doing, and not that of its parameters.
 */

import type { TrialState } from "./state.ts";

/** Of the median of its folds' iterations. */
const NEXT_TO_NOTHING = 0.1;

/** Ascending; empty too where a fold has no iterations to be counted. */
export function starvedFolds({ folds }: Pick<TrialState, "folds">): number[] {
  const usual = usualIterations(folds);
  return folds.flatMap((fold, index) =>
    fold?.state === "finished" &&
    fold.cut?.iterations !== undefined &&
    fold.cut.iterations < NEXT_TO_NOTHING * usual
      ? [index]
      : [],
  );
}

/** For people. */
export function describeStarved(trial: Pick<TrialState, "folds">): string {
  const { length } = starvedFolds(trial);
  const were = length === 1 ? "was" : "were";
  return `${length} of its ${trial.folds.length} folds ${were} ended with less than a tenth of the rounds, trees or solver steps that others had.`;
}

/** The median of folds; 0 where they have none to be counted. */
export function usualIterations(folds: TrialState["folds"]): number {
  const counts = folds
    .map((fold) => (fold?.state === "finished" ? (fold.iterations ?? 0) : 0))
    .sort((a, b) => a - b);
  return counts[counts.length >> 1] ?? 0;
}
