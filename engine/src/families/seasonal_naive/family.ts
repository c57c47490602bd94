/** The last season again, or an average of the last few: what every forecast is held against. */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import {
  BASELINE_METHODS,
  bestRepeated,
  fitBaseline,
  loadBaseline,
  type SavedBaseline,
} from "../../series/baselines/baselines.ts";
import type { DataShape, Family } from "../family.ts";
import { type LocalMethod, localMembers } from "../local_forecast/local-model.ts";

const parametersSchema = z.object({
  method: z.enum(BASELINE_METHODS),
  /** Seasons that are averaged. */
  seasons: z.int().min(1).max(10),
});

const savedSchema = z.object({
  method: z.enum(BASELINE_METHODS),
  seasonLength: z.int().min(1),
  seasons: z.int().min(1),
});

function methodOf(parameters: Parameters): LocalMethod<SavedBaseline> {
  const { method, seasons } = parametersSchema.parse(parameters);
  return {
    fit: (history, lengths) =>
      fitBaseline(history, { method, seasons, seasonLength: bestRepeated(history, lengths) }),
    load: (saved) => loadBaseline(savedSchema.parse(saved)),
  };
}

const SPACE: SearchSpace = {
  method: { type: "categorical", choices: [...BASELINE_METHODS] },
  seasons: { type: "int", low: 1, high: 10 },
};

const DEFAULTS: Parameters = { method: "seasonal_naive", seasons: 2 };

export const seasonalNaive: Family = {
  id: "seasonal_naive",
  title: "Seasonal naive",
  ...localMembers(methodOf, DEFAULTS),

  suits: () => ({ use: true, reason: "What repeats itself is hard to beat, and costs nothing." }),

  searchSpace: () => ({ method: { type: "categorical", choices: [...BASELINE_METHODS] } }),
  defaults: () => DEFAULTS,
  portfolio: ({ series }: DataShape) =>
    [DEFAULTS.method, ...BASELINE_METHODS.filter((method) => method !== DEFAULTS.method)]
      .filter((method) => series?.seasons.length || method !== "window_average")
      .map((method) => ({ ...DEFAULTS, method })),
  parameters: () => SPACE,
};
