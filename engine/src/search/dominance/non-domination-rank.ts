/**
 * Non-dominated sorting: rank 0 is what nothing dominates, rank 1 what only rank 0 dominates, and
 * so on (Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm:
 * NSGA-II", 2002, §III.A). In lexicographic order a vector can be dominated only by earlier ones, so
 * a front is made in one pass that compares with the front alone (Zhang, Tian, Cheng, Jin, "An
 * efficient approach to nondominated sorting", 2015); up to three objectives, with the staircase of
 * the front's last two (Kung, Luccio, Preparata, "On finding the maxima of a set of vectors", 1975).
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
    const isDominated = points[left[0]].length <= 3 ? staircase(points) : comparison(points, front);
    for (const index of left) {
      if (isDominated(index)) rest.push(index);
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

/** Whether a point is dominated by one of the front so far. */
type Test = (index: number) => boolean;

function comparison(points: readonly Losses[], front: readonly number[]): Test {
  return (index) => front.some((other) => dominates(points[other], points[index]));
}

/**
 * Earlier points are no worse in the first objective, so what counts are the last two: corners of
 * the staircase of all points asked about so far, the one ascending and the other descending.
 */
function staircase(points: readonly Losses[]): Test {
  const ys: number[] = [];
  const zs: number[] = [];
  let last: Losses | null = null;
  return (index) => {
    const point = points[index];
    // Equal points stand side by side, and none of them dominates the others.
    if (last?.every((loss, i) => loss === point[i])) return false;
    const y = point[1] ?? 0;
    const z = point[2] ?? 0;
    // The corners up to y; the last of them has the least z.
    let low = 0;
    let high = ys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ys[middle] <= y) low = middle + 1;
      else high = middle;
    }
    if (low > 0 && zs[low - 1] <= z) return true;
    const from = low > 0 && ys[low - 1] === y ? low - 1 : low;
    let to = low;
    while (to < zs.length && zs[to] >= z) to++;
    ys.splice(from, to - from, y);
    zs.splice(from, to - from, z);
    last = point;
    return false;
  };
}
