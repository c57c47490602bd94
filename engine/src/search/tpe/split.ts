/**
 * The split of past trials into good and bad, TPE's one decision (Bergstra, Bardenet, Bengio,
 * Kégl, "Algorithms for hyper-parameter optimization", NeurIPS 2011, §4).
 */

/** How many of `count` finished trials are good: a tenth, rounded up, and at most 25. */
export function goodCount(count: number): number {
  return Math.min(Math.ceil(0.1 * count), 25);
}

/**
 * Marks the good trials. Equal losses go to the earlier trial; failed ones are the worst, and
 * never good.
 *
 * @param losses oldest first; null or NaN for a failed trial
 * @returns 1 for good, 0 for bad
 */
export function splitTrials(losses: readonly (number | null)[]): Uint8Array {
  const wanted = goodCount(losses.length);
  // The best so far, best first. It is short, so inserting is cheaper than sorting all.
  const best: number[] = [];
  const lossOf = (index: number) => losses[index] ?? Number.NaN;
  for (let i = 0; i < losses.length; i++) {
    const loss = lossOf(i);
    if (Number.isNaN(loss)) continue;
    if (best.length === wanted && !(loss < lossOf(best[wanted - 1]))) continue;
    let at = best.length;
    while (at > 0 && loss < lossOf(best[at - 1])) at--;
    best.splice(at, 0, i);
    if (best.length > wanted) best.pop();
  }
  const good = new Uint8Array(losses.length);
  for (const index of best) good[index] = 1;
  return good;
}
