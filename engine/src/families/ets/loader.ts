/** Reads exponential smoothing back; series that were not there in training are fitted when they are asked for. */

import { z } from "zod";
import type { Parameters } from "../../search/space.ts";
import { ETS_CHOICES, fitEts, loadEts } from "../../series/ets/ets-model.ts";
import type { FamilyLoader } from "../family.ts";
import {
  allOfSeveral,
  LOCAL_SEASONS,
  type LocalMethod,
  localMembers,
  seasonalMethod,
} from "../local_forecast/local-model.ts";

const parametersSchema = z.object({
  choice: z.enum(ETS_CHOICES),
  season: z.enum(LOCAL_SEASONS),
});

const savedSchema = z.object({
  seasonLength: z.int(),
  scale: z.number(),
  forms: z.array(
    z.object({
      form: z.object({
        error: z.enum(["A", "M"]),
        trend: z.enum(["N", "A", "M"]),
        damped: z.boolean(),
        season: z.enum(["N", "A", "M"]),
      }),
      weight: z.number(),
      parameters: z.array(z.number()),
    }),
  ),
  beginning: z.array(z.number()),
});

export const DEFAULTS = { choice: "weights", season: "shortest" } as const;

export function etsMethod(parameters: Parameters): LocalMethod<unknown> {
  const { choice, season } = parametersSchema.parse(parameters);
  return seasonalMethod(season, {
    fit: (history, seasonLength) => fitEts(history, { choice, seasonLength }),
    load: (saved) => loadEts(savedSchema.parse(saved)),
  });
}

export const etsDefaults = (seasons: readonly number[]): Parameters =>
  allOfSeveral(DEFAULTS, seasons);

export const etsMembers = localMembers(etsMethod, DEFAULTS);

export const etsLoader: FamilyLoader = { id: "ets", reads: "series", load: etsMembers.load };
