/** Which trials a table shows, and in which order. */

import type { RunLog, Trial, TrialState } from "./run-state.ts";

export const SORTS = ["trial", "score", "spread", "seconds", "bytes"] as const;
export type Sort = (typeof SORTS)[number];

export interface TableAsked {
  readonly sort: Sort;
  readonly isDescending: boolean;
  /** Empty: all. */
  readonly family: string;
  readonly state: TrialState | "";
}

/**
 * Those that the end of the search dropped come last, since they do not count, and before them trials without the
 * figure, whichever way it is sorted; equal ones by their numbers.
 */
export function orderedTrials(log: RunLog, asked: TableAsked): Trial[] {
  const { family, state, sort, isDescending } = asked;
  const shown = log.trials.filter(
    (trial) =>
      (family === "" || trial.family === family) && (state === "" || trial.state === state),
  );
  const sign = isDescending ? -1 : 1;
  const figures = new Float64Array(log.trials.length).fill(Number.NaN);
  for (const trial of shown) {
    figures[trial.number] = sort === "trial" ? trial.number : figureOf(trial, sort);
  }
  return shown.sort((a, b) => {
    const dropped = Number(a.state === "dropped") - Number(b.state === "dropped");
    if (dropped !== 0) return dropped;
    const [x, y] = [figures[a.number] ?? Number.NaN, figures[b.number] ?? Number.NaN];
    if (Number.isNaN(x) || Number.isNaN(y)) {
      return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a.number - b.number;
    }
    return sign * (x - y) || a.number - b.number;
  });
}

/** The best finished trials, the best first; equal ones as they ended. In time linear in the trials. */
export function bestTrials(log: RunLog, most: number): Trial[] {
  const best: Trial[] = [];
  for (const number of log.finished) {
    const trial = log.trials[number];
    const last = best[most - 1];
    if (!trial || (last && !log.isBetter(trial.score, last.score))) continue;
    const behind = best.findIndex(({ score }) => log.isBetter(trial.score, score));
    best.splice(behind < 0 ? best.length : behind, 0, trial);
    best.length = Math.min(best.length, most);
  }
  return best;
}

function figureOf(trial: Trial, sort: Exclude<Sort, "trial">): number {
  if (sort === "score") return trial.score;
  if (sort === "spread") return trial.spread;
  const figure = sort === "seconds" ? trial.seconds : trial.bytes;
  return figure === 0 ? Number.NaN : figure;
}
