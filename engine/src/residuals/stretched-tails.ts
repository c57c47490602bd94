/**
 * Quantiles of errors beyond those that few errors tell: the outermost that they tell, as much further from the
 * middle as Student's t is at the level that is asked.
 */

import { studentQuantile } from "../compute/student-t.ts";

/** The outermost quantiles say nothing of tails where they are nearer to the middle than these levels. */
const NEAREST = 0.25;

/**
 * @param levels ascending, in (0, 1), 0.5 among them
 * @param quantiles of each level; null at both ends: the errors do not tell it
 * @param freedom degrees of freedom, a whole number ≥ 1
 * @returns the same without nulls; `quantiles` itself where they tell too little to stretch it
 */
export function stretchTails(
  levels: readonly number[],
  quantiles: readonly (number | null)[],
  freedom: number,
): readonly (number | null)[] {
  const told = levels.filter((_, i) => quantiles[i] !== null);
  const [least, most] = [told[0] ?? 0.5, told.at(-1) ?? 0.5];
  const at = (level: number): number => quantiles[levels.indexOf(level)] ?? 0;
  if (least > NEAREST || most < 1 - NEAREST) return quantiles;
  const middle = at(levels.find((level) => Math.abs(level - 0.5) < 1e-9) ?? 0.5);
  const beyond = (level: number, end: number): number =>
    middle + ((at(end) - middle) * studentQuantile(level, freedom)) / studentQuantile(end, freedom);
  return levels.map((level, i) => quantiles[i] ?? beyond(level, level < 0.5 ? least : most));
}
