/**
 * Non-dominated sorting: rank 0 is what nothing dominates, rank 1 what only rank 0 dominates, and
 * so on (Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm:
 * NSGA-II", 2002, §III.A). In lexicographic order a vector can be dominated only by earlier ones, so
 * a front is made in one pass that compares with the front alone (Zhang, Tian, Cheng, Jin, "An
 * efficient approach to nondominated sorting", 2015).
 */

import { dominates, type Losses, lexicographicOrder } from "./dominance.ts";

/** The rank of what was not ranked, since enough was. */
export const UNRANKED = 0x7fffffff;

/**
 * @param points finite numbers, all of one length
 * @param enough whole fronts are ranked until they hold so many points; the rest is `UNRANKED`
 * @returns one rank a point
 */
export function nonDominationRanks(
  points: readonly Losses[],
  enough: number = points.length,
): Int32Array {
  const ranks = new Int32Array(points.length).fill(UNRANKED);
  let left = lexicographicOrder(points);
  let ranked = 0;
  for (let rank = 0; left.length > 0 && ranked < enough; rank++) {
    const front: number[] = [];
    const rest: number[] = [];
    for (const index of left) {
      if (isDominated(points, front, index)) rest.push(index);
      else front.push(index);
    }
    for (const index of front) ranks[index] = rank;
    ranked += front.length;
    left = rest;
  }
  return ranks;
}

/** The places of the points that no other dominates, ascending; equal points are all there. */
export function paretoFront(points: readonly Losses[]): number[] {
  const ranks = nonDominationRanks(points, 1);
  return Array.from(points.keys()).filter((index) => ranks[index] === 0);
}

/** Two objectives: of those earlier in the order, the last one of the front has the least second. */
function isDominated(points: readonly Losses[], front: readonly number[], index: number): boolean {
  const point = points[index];
  const from = point.length <= 2 ? Math.max(0, front.length - 1) : 0;
  for (let i = front.length - 1; i >= from; i--) {
    if (dominates(points[front[i]], point)) return true;
  }
  return false;
}
