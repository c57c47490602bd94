/** Ordered rows in ten groups of about equal size, without parting equals. */

import { lowerBound } from "../../data/lower-bound.ts";

const TENTHS = 10;

/**
 * @param shares of the rows up to each place where a group may end: ascending, the last 1; not empty
 * @returns the places nearest to each tenth, ascending, each once; the last is the end
 */
export function tenthEnds(shares: readonly number[]): number[] {
  const ends = new Set<number>();
  for (let group = 1; group < TENTHS; group++) ends.add(nearestPlace(shares, group / TENTHS));
  return [...ends.add(shares.length - 1)];
}

/** @param ascending not empty */
export function nearestPlace(ascending: readonly number[], wanted: number): number {
  const low = lowerBound(ascending, wanted, 0, ascending.length - 1);
  return low > 0 && wanted - ascending[low - 1] <= ascending[low] - wanted ? low - 1 : low;
}
