/** Reads the simple methods back; series that were not there in training are fitted when they are asked for. */

import { z } from "zod";
import type { Parameters } from "../../search/space.ts";
import {
  BASELINE_METHODS,
  bestRepeated,
  fitBaseline,
  loadBaseline,
  type SavedBaseline,
} from "../../series/baselines/baselines.ts";
import type { FamilyLoader } from "../family.ts";
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
    fit: (history, cycles) =>
      fitBaseline(history, {
        ...{ method, seasons },
        seasonLength: bestRepeated(history, cycles.seasons),
      }),
    load: (saved) => loadBaseline(savedSchema.parse(saved)),
  };
}

export const SEASONAL_NAIVE: Parameters = { method: "seasonal_naive", seasons: 2 };

export const naiveMembers = localMembers(methodOf, SEASONAL_NAIVE);

export const seasonalNaiveLoader: FamilyLoader = {
  id: "seasonal_naive",
  reads: "series",
  load: naiveMembers.load,
};
