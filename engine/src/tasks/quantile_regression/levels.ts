/** The levels of the quantiles that are predicted: what a request may say, and what holds else. */

import { z } from "zod";
import type { TaskForm } from "../task-type.ts";

export const DEFAULT_LEVELS: readonly number[] = [0.1, 0.5, 0.9];
const MOST_LEVELS = 50;

export const levelsSchema = z
  .array(z.number().gt(0).lt(1))
  .min(1)
  .max(MOST_LEVELS)
  .refine((levels) => levels.every((level, i) => i === 0 || level > levels[i - 1]), {
    error: "levels must be ascending and distinct",
  })
  .nullish()
  .describe(
    `For quantile_regression and forecasting: levels of the predicted quantiles, between 0 and 1, ascending and distinct. Default: ${DEFAULT_LEVELS.join(", ")}.`,
  );

/** @throws RangeError for a task without levels, which no run makes */
export function levelsOf({ quantiles }: TaskForm): readonly number[] {
  if (!quantiles) throw new RangeError("A task of quantiles has levels.");
  return quantiles;
}

/** Place of the level nearest one half, the lower of two. */
export function middleOf(levels: readonly number[]): number {
  return levels.reduce(
    (best, level, i) => (Math.abs(level - 0.5) < Math.abs(levels[best] - 0.5) - 1e-12 ? i : best),
    0,
  );
}
