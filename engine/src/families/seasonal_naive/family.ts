/** The last season again, or an average of the last few: what every forecast is held against. */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import {
  BASELINE_METHODS,
  fitBaseline,
  type SavedBaseline,
} from "../../series/baselines/baselines.ts";
import type { DataShape, Family } from "../family.ts";
import { type LocalMethod, localMembers } from "../local_forecast/local-model.ts";
import { parseBaseline } from "../local_forecast/naive.ts";

const parametersSchema = z.object({
  method: z.enum(BASELINE_METHODS),
  /** Seasons that are averaged. */
  seasons: z.int().min(1).max(10),
});

function methodOf(parameters: Parameters): LocalMethod<SavedBaseline> {
  const { method, seasons } = parametersSchema.parse(parameters);
  return {
    fit: (history, lengths) =>
      fitBaseline(history, { method, seasons, seasonLength: lengths.at(-1) ?? 1 }),
    load: parseBaseline,
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
