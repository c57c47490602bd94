/** What importances look like, and the importance that fits themselves report, summed by group. */

import { type FeatureGroup, sumGroups } from "./feature-group.ts";

export interface GroupImportance {
  readonly name: string;
  readonly importance: number;
}

/** A model's share in a blend, with what its `importance()` gave. */
export interface WeighedImportance {
  readonly weight: number;
  /** One non-negative number a feature. */
  readonly importance: Float64Array;
}

/**
 * Mean importance of the members of a blend, by group, most important first (ties in the order of
 * the groups). Shares sum to 1 where each member's do.
 *
 * @param members at least one, of positive total weight
 */
export function blendImportance(
  members: readonly WeighedImportance[],
  groups: readonly FeatureGroup[],
): GroupImportance[] {
  const features = members[0].importance.length;
  const mean = new Float64Array(features);
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  for (const { weight, importance } of members) {
    for (let f = 0; f < features; f++) mean[f] += (weight / total) * importance[f];
  }
  const sums = sumGroups(mean, features, groups);
  return mostImportantFirst(groups.map(({ name }, g) => ({ name, importance: sums[g] })));
}

export function mostImportantFirst<T extends GroupImportance>(groups: readonly T[]): T[] {
  return groups.toSorted((a, b) => b.importance - a.importance);
}
