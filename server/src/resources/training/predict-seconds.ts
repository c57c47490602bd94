/** How long a model's members took to predict the rows that were held out of their fits. */

import type { RunState } from "@distillery/engine";

/**
 * Seconds of predicting 1,000 rows one member after another, on one thread, without reading the rows.
 *
 * @param foldRows held-out rows of each fold
 * @returns null where a member's trial has no fold that was timed
 */
export function predictSecondsOf(
  members: readonly { readonly trial: number }[],
  trials: RunState["trials"],
  foldRows: readonly number[],
): number | null {
  let all = 0;
  for (const { trial } of members) {
    let seconds = 0;
    let rows = 0;
    for (const [fold, end] of (trials[trial]?.folds ?? []).entries()) {
      if (end?.state !== "finished") continue;
      seconds += end.predictSeconds;
      rows += foldRows[fold] ?? 0;
    }
    if (rows === 0) return null;
    all += (1000 * seconds) / rows;
  }
  return all;
}
