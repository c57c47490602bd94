/** Features that are weighed together: one each, or all that came from one column of the table. */

import type { Feature } from "../data/encoded.ts";

export interface FeatureGroup {
  readonly name: string;
  /** Indices into the schema's features, ascending. */
  readonly features: readonly number[];
}

/** In the order in which the columns first appear. */
export function groupByColumn(features: readonly Feature[]): FeatureGroup[] {
  const groups = new Map<string, number[]>();
  features.forEach(({ column }, index) => {
    const group = groups.get(column);
    if (group) group.push(index);
    else groups.set(column, [index]);
  });
  return Array.from(groups, ([name, indices]) => ({ name, features: indices }));
}

/**
 * Sums per group of what was found per feature: importances, or contributions of many rows.
 * Sums of contributions still add up to the prediction, as Shapley values are additive.
 *
 * @param values row-major, rows × features × outputs
 * @returns row-major, rows × groups × outputs
 */
export function sumGroups(
  values: Float64Array,
  features: number,
  groups: readonly FeatureGroup[],
  outputs = 1,
): Float64Array {
  const rows = values.length / (features * outputs);
  const sums = new Float64Array(rows * groups.length * outputs);
  for (let row = 0; row < rows; row++) {
    groups.forEach((group, g) => {
      const to = (row * groups.length + g) * outputs;
      for (const feature of group.features) {
        const from = (row * features + feature) * outputs;
        for (let output = 0; output < outputs; output++) sums[to + output] += values[from + output];
      }
    });
  }
  return sums;
}
