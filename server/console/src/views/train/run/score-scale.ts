/**
 * Where a score lies between the best and the bad ones, for charts of a run that goes on. Scores far
 * worse than most are put at the edge. The scale changes when the best leaves it or when there are twice
 * as many scores, so that ten thousand trials change it some dozens of times.
 */

import type { RunLog } from "./run-state.ts";

/** Share of the scores, the best ones, that the scale tells apart. */
const SHARE = 0.8;
const MARGIN = 0.06;

export class ScoreScale {
  best = 0;
  worst = 1;
  /** Rises when the scale has changed. */
  version = 0;
  #nextCount = 1;
  #seen = 0;

  /** Looks at what is new. */
  follow(log: RunLog): void {
    const count = log.bestSoFar.length;
    if (count < this.#seen) this.#nextCount = 1;
    this.#seen = count;
    if (count === 0) return;
    const best = log.bestSoFar[count - 1] ?? 0;
    const isOutside = log.isLowerBetter ? best < this.best : best > this.best;
    if (count < this.#nextCount && !isOutside) return;
    this.#nextCount = 2 * count;
    const scores = Float64Array.from(
      log.finished,
      (number) => log.trials[number]?.score ?? 0,
    ).sort();
    const at = (count - 1) * (log.isLowerBetter ? SHARE : 1 - SHARE);
    const bad = scores[Math.round(at)] ?? best;
    const margin = MARGIN * (Math.abs(bad - best) || Math.abs(best) || 1);
    const sign = log.isLowerBetter ? -1 : 1;
    this.best = best + sign * margin;
    this.worst = bad - sign * margin;
    this.version += 1;
  }

  /** 0 for the worst that is told apart, 1 for the best. */
  place(score: number): number {
    const at = (score - this.worst) / (this.best - this.worst);
    return Math.min(1, Math.max(0, at));
  }

  /** The score at such a place. */
  scoreAt(place: number): number {
    return this.worst + place * (this.best - this.worst);
  }
}
