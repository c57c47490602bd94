/**
 * The split for several objectives (Ozaki, Tanigaki, Watanabe, Nomura, Onishi, "Multiobjective
 * tree-structured Parzen estimator", JAIR 73, 2022, §4): fronts of non-domination, best first, are
 * good for as long as they fit; of the front that does not, the subset with the most hypervolume
 * is. A good trial weighs what its losses add to the hypervolume of the front, so that the search
 * goes where that is thin.
 */

import {
  hypervolumeContributions,
  type Losses,
  nonDominationRanks,
  paretoFront,
  referenceBeyond,
  selectByHypervolume,
} from "../dominance/index.ts";

/** Which trials are good, and how much the kernel of each counts. */
export interface TrialSplit {
  /** 1 for each good trial, 0 for each bad one. */
  readonly good: Uint8Array;
  /** Weights of the good trials' kernels, one a trial, the prior's being 1; null = by age. */
  readonly weights: Float64Array | null;
}

/** The weight of a good trial that adds nothing, beside 1 of the one that adds most. */
const LEAST_WEIGHT = 1e-12;

/**
 * @param losses null for a failed trial; one that is not finite in every objective counts as failed
 * @param wanted how many are good, if as many have not failed
 */
export function splitByDominance(losses: readonly (Losses | null)[], wanted: number): TrialSplit {
  const rows: number[] = [];
  const points: Losses[] = [];
  losses.forEach((each, row) => {
    if (each === null || !each.every(Number.isFinite)) return;
    rows.push(row);
    points.push(each);
  });
  const chosen = choose(points, Math.min(wanted, points.length));
  const good = new Uint8Array(losses.length);
  const weights = new Float64Array(losses.length);
  const weightOf = weigh(chosen.map((i) => points[i]));
  chosen.forEach((i, place) => {
    good[rows[i]] = 1;
    weights[rows[i]] = weightOf[place];
  });
  return { good, weights };
}

function choose(points: readonly Losses[], wanted: number): number[] {
  const ranks = nonDominationRanks(points, wanted);
  const fronts: number[][] = [];
  ranks.forEach((rank, i) => {
    if (rank < points.length) {
      fronts[rank] ??= [];
      fronts[rank].push(i);
    }
  });
  const chosen: number[] = [];
  for (const front of fronts) {
    const room = wanted - chosen.length;
    if (front.length <= room) chosen.push(...front);
    else if (room > 0) {
      const own = front.map((i) => points[i]);
      chosen.push(...selectByHypervolume(own, room, referenceBeyond(own)).map((i) => front[i]));
    }
  }
  return chosen;
}

/** In units of the largest; all 1 where only one trial adds anything. */
function weigh(points: readonly Losses[]): Float64Array {
  const weights = new Float64Array(points.length).fill(LEAST_WEIGHT);
  const front = paretoFront(points);
  if (points.length <= 1) return weights.fill(1);
  const contributions = hypervolumeContributions(
    front.map((i) => points[i]),
    referenceBeyond(points),
  );
  const most = Math.max(...contributions);
  if (!(most > 0)) return weights.fill(1);
  front.forEach((i, place) => {
    weights[i] = Math.max(LEAST_WEIGHT, contributions[place] / most);
  });
  return weights;
}
