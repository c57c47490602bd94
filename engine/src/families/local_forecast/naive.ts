/** The last season again: what stands in where a local model had no time. */

import { z } from "zod";
import {
  BASELINE_METHODS,
  fitBaseline,
  loadBaseline,
  type SavedBaseline,
} from "../../series/baselines/baselines.ts";
import type { SeriesModel } from "../../series/series-model.ts";

const savedSchema = z.object({
  method: z.enum(BASELINE_METHODS),
  seasonLength: z.int().min(1),
  seasons: z.int().min(1),
});

/** @throws where it is no saved baseline */
export function parseBaseline(saved: unknown): SeriesModel<SavedBaseline> {
  return loadBaseline(savedSchema.parse(saved));
}

/** @param seasons steps of a season, ascending; empty = none */
export function fitNaive(
  history: Float64Array,
  seasons: readonly number[],
): SeriesModel<SavedBaseline> {
  return fitBaseline(history, { method: "seasonal_naive", seasonLength: seasons[0] ?? 1 });
}
