/** What the curve of the best scores shows, in words. */

import { score } from "../figures.ts";
import type { RunLog } from "./run-state.ts";

/** Finished trials are those that the run counts; a score may be undefined in some, which are no points. */
export function curveLabel({ counts, finished, best, metric }: RunLog): string {
  const trials = counts.finished === 1 ? "1 finished trial" : `${counts.finished} finished trials`;
  if (counts.finished === 0) return "No trial has finished yet.";
  const unscored = counts.finished - finished.length;
  const without = unscored === 0 ? "" : `, ${unscored} without a score`;
  if (best === null) return `${trials}${without}.`;
  return `${trials}${without}; the best ${metric} is ${score(best.score)}, of trial ${best.number}.`;
}
