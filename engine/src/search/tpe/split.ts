/**
 * The split of past trials into good and bad, TPE's one decision (Bergstra, Bardenet, Bengio,
 * Kégl, "Algorithms for hyper-parameter optimization", NeurIPS 2011, §4).
 */

import { splitByDominance, type TrialSplit } from "./split-by-dominance.ts";

/** How many of `count` finished trials are good: a tenth, rounded up, and at most 25. */
export function goodCount(count: number): number {
  return Math.min(Math.ceil(0.1 * count), 25);
}

/**
 * @param losses oldest first, one an objective; null for a failed trial, which is never good, as
 * is one that has an objective of NaN
 */
export function splitTrials(losses: readonly (readonly number[] | null)[]): TrialSplit {
  const objectives = losses.find((each) => each !== null)?.length ?? 1;
  if (objectives > 1) return splitByDominance(losses, goodCount(losses.length));
  return { good: splitByLoss(losses.map((each) => each?.[0] ?? Number.NaN)), weights: null };
}

/**
 * Marks the good trials of a single objective. Equal losses go to the earlier trial.
 *
 * @param losses oldest first; NaN for a failed trial
 */
export function splitByLoss(losses: readonly number[]): Uint8Array {
  const wanted = goodCount(losses.length);
  // The best so far, best first. It is short, so inserting is cheaper than sorting all.
  const best: number[] = [];
  for (let i = 0; i < losses.length; i++) {
    const loss = losses[i];
    if (Number.isNaN(loss)) continue;
    if (best.length === wanted && !(loss < losses[best[wanted - 1]])) continue;
    let at = best.length;
    while (at > 0 && loss < losses[best[at - 1]]) at--;
    best.splice(at, 0, i);
    if (best.length > wanted) best.pop();
  }
  const good = new Uint8Array(losses.length);
  for (const index of best) good[index] = 1;
  return good;
}
