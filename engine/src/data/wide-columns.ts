/**
 * Columns of more categories than a byte tells apart: beside the bins, in which the rarest share one, the
 * code of every category, for those who put categories together by what they learn of them.
 */

import type { Feature, FeatureBins } from "./encoded.ts";

/** Two codes are for cells without a category of the schema. */
const MOST_CATEGORIES = 2 ** 16 - 2;

/** Whether categories of the feature share a bin, and codes tell them apart. */
export function isWide(feature: Feature, { valueBins }: FeatureBins): boolean {
  if (feature.kind !== "categorical") return false;
  const { length } = feature.categories;
  return length > valueBins && length <= MOST_CATEGORIES;
}

/** How many codes a column has: one a category, then one for others, then one for missing cells. */
export function codeCount(feature: Feature): number {
  return feature.kind === "categorical" ? feature.categories.length + 2 : 0;
}

/** @param values codes as `FeatureColumns` has them; NaN is missing */
export function assignCodes(values: Float64Array, categories: number, out: Uint16Array): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    out[i] = Number.isNaN(value) ? categories + 1 : Math.min(value, categories);
  }
}
