/**
 * How many rows of their own a sample of groups is worth: rows of one group err alike, so a new group is told less by
 * many rows of few groups than by as many rows each for itself.
 *
 * The design effect of cluster samples, 1 + (m − 1)·ρ (Kish, "Survey sampling", 1965, §5.4), with the intraclass
 * correlation ρ of the scores' ranks by one-way analysis of variance (Donner 1986, "A review of inference procedures
 * for the intraclass correlation coefficient", §2). With ρ = 1 a sample is worth its number of groups, as in
 * conformal prediction of hierarchical data (Dunn, Wasserman & Ramdas 2022; Lee, Barber & Willett 2023).
 */

import { ScoreDistribution } from "./score-distribution.ts";

/** @param groups of the rows, where rows to come are of others; absent: each row is for itself */
export function distributionOf(
  scores: Float64Array,
  weights: Float64Array | null,
  groups?: ArrayLike<number> | null,
): ScoreDistribution {
  return groups
    ? new ScoreDistribution(scores, weights, (ascending) => designEffect(scores, ascending, groups))
    : new ScoreDistribution(scores, weights);
}

/**
 * @param scores without NaN
 * @param ascending places of the rows that count, by ascending score
 * @param groups of each row, numbers
 * @returns at least 1: rows per row of its own
 */
export function designEffect(
  scores: Float64Array,
  ascending: Uint32Array,
  groups: ArrayLike<number>,
): number {
  const count = ascending.length;
  const sizes = new Map<number, number>();
  const sums = new Map<number, number>();
  let squares = 0;
  for (const [place, rank] of midRanks(scores, ascending).entries()) {
    const group = groups[ascending[place]];
    sizes.set(group, (sizes.get(group) ?? 0) + 1);
    sums.set(group, (sums.get(group) ?? 0) + rank);
    squares += rank * rank;
  }
  const number = sizes.size;
  if (number === count) return 1;
  let [sizesSquared, between] = [0, 0];
  for (const [group, size] of sizes) {
    sizesSquared += size * size;
    between += (sums.get(group) ?? 0) ** 2 / size;
  }
  // Of one group nothing tells how groups differ.
  if (number === 1) return count;
  const size = sizesSquared / count;
  const within = (squares - between) / (count - number);
  // Ranks are counted from their middle, so that their sum is 0.
  const among = between / (number - 1);
  const usual = (count - size) / (number - 1);
  const alike = (among - within) / (among + (usual - 1) * within);
  return 1 + (size - 1) * Math.min(1, Math.max(0, Number.isNaN(alike) ? 0 : alike));
}

/** From the middle rank; equal scores share the mean of theirs, since their order says nothing. */
function midRanks(scores: Float64Array, ascending: Uint32Array): Float64Array {
  const ranks = new Float64Array(ascending.length);
  const middle = (ascending.length - 1) / 2;
  for (let from = 0; from < ascending.length; ) {
    let to = from + 1;
    while (to < ascending.length && scores[ascending[to]] === scores[ascending[from]]) to++;
    ranks.fill((from + to - 1) / 2 - middle, from, to);
    from = to;
  }
  return ranks;
}
