/** How shape functions are read: their cells by name, and their sizes. */

import type { Feature, FeatureBins } from "../../data/encoded.ts";
import type { ShapeFunction } from "../../families/shape-function.ts";

/** What shapes are read with. */
export interface ShapeReading {
  readonly features: readonly Feature[];
  readonly bins: readonly FeatureBins[];
  /** Those that are shown. */
  readonly outputs: readonly number[];
}

export interface SizedShape {
  readonly shape: ShapeFunction;
  readonly size: number;
}

/** Of each output: the mean absolute value over the learned rows. */
export function outputSizes({ values, covers }: ShapeFunction): number[] {
  const outputs = values.length / covers.length;
  const total = covers.reduce((sum, cover) => sum + cover, 0);
  return Array.from({ length: outputs }, (_, k) => {
    let sum = 0;
    for (const [at, cover] of covers.entries()) sum += cover * Math.abs(values[at * outputs + k]);
    return total > 0 ? sum / total : 0;
  });
}

/** Null = the rarer ones, which share the last bin. */
export function categoryName(
  categories: readonly string[],
  { valueBins }: FeatureBins,
  bin: number,
): string | null {
  const isShared = bin === valueBins - 1 && categories.length !== valueBins;
  return isShared ? null : (categories[bin] ?? null);
}

/** As many digits as a drawing shows. */
export const rounded = (value: number): number => Number(value.toPrecision(5));
