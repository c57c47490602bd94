/**
 * Where a score lies between the best and the bad ones, for charts of a run that goes on. Scores far
 * worse than most are put at the edge. The scale changes when the best leaves it or when there are twice
 * as many scores, so that ten thousand trials change it some dozens of times.
 */

import type { RunLog } from "./run-state.ts";

/** Share of the scores, the best ones, that the scale tells apart. */
const SHARE = 0.8;
/** Steps between the ends, about. */
const STEPS = 4;
/** Where all scores are one, as a share of it. */
const LEAST_RANGE = 0.1;

export class ScoreScale {
  best = 0;
  worst = 1;
  /** Between round scores, of which the ends are two. */
  step = 0.25;
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
    this.#span(best, bad, log.isLowerBetter);
    this.version += 1;
  }

  /** To the round scores around both. */
  #span(best: number, bad: number, isLowerBetter: boolean): void {
    const range = Math.abs(bad - best) || LEAST_RANGE * Math.abs(best) || 1;
    this.step = roundStep(range / STEPS);
    let low = Math.floor(Math.min(best, bad) / this.step);
    let high = Math.ceil(Math.max(best, bad) / this.step);
    // One that is round itself has room on both sides.
    if (low === high) [low, high] = [low - 1, high + 1];
    this.best = this.step * (isLowerBetter ? low : high);
    this.worst = this.step * (isLowerBetter ? high : low);
  }

  /** Round scores from end to end, each as it is written. */
  ticks(): readonly { readonly score: number; readonly text: string }[] {
    const steps = Math.round(Math.abs(this.best - this.worst) / this.step);
    const decimals = Math.min(20, Math.max(0, -Math.floor(Math.log10(this.step) + 1e-9)));
    return Array.from({ length: steps + 1 }, (_, place) => {
      // No rounding is left of it, nor a minus before 0.
      const score = Math.round(this.scoreAt(place / steps) / this.step) * this.step + 0;
      return { score, text: score.toFixed(decimals) };
    });
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

/** The least of 1, 2 and 5 times a power of ten that reaches it. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((times) => times * power >= least) ?? 10) * power;
}
