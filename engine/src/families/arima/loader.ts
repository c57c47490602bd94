/** Reads seasonal ARIMA back; series that were not there in training are fitted when they are asked for. */

import { z } from "zod";
import type { Parameters } from "../../search/space.ts";
import { fitArima, loadArima } from "../../series/arima/arima-model.ts";
import type { FamilyLoader } from "../family.ts";
import {
  LOCAL_SEASONS,
  type LocalMethod,
  localMembers,
  seasonalMethod,
} from "../local_forecast/local-model.ts";

const parametersSchema = z.object({
  season: z.enum(LOCAL_SEASONS),
  differences: z.int().min(0).max(2),
});

const numbers = z.array(z.number());

const savedSchema = z.object({
  order: z.object({
    p: z.int(),
    d: z.int(),
    q: z.int(),
    seasonalP: z.int(),
    seasonalD: z.int(),
    seasonalQ: z.int(),
    constant: z.boolean(),
  }),
  seasonLength: z.int(),
  scale: z.number(),
  coefficients: z.object({
    ar: numbers,
    seasonalAr: numbers,
    ma: numbers,
    seasonalMa: numbers,
    mean: z.number(),
  }),
  beginning: numbers.optional(),
});

export const DEFAULTS = { season: "shortest", differences: 1 } as const;

export function arimaMethod(parameters: Parameters): LocalMethod<unknown> {
  const { season, differences } = parametersSchema.parse(parameters);
  return seasonalMethod(season, {
    fit: (history, seasonLength) =>
      fitArima(history, { seasonLength, mostDifferences: differences }),
    load: (saved) => loadArima(savedSchema.parse(saved)),
  });
}

/** Beyond, a season's lags cost more than they gain beside a decomposition. */
const LONG_SEASON = 60;

export function arimaDefaults(
  seasons: readonly number[],
): typeof DEFAULTS | { season: "all"; differences: 1 } {
  return (seasons[0] ?? 1) > LONG_SEASON ? { ...DEFAULTS, season: "all" } : DEFAULTS;
}

export const arimaMembers = localMembers(arimaMethod, DEFAULTS);

export const arimaLoader: FamilyLoader = { id: "arima", reads: "series", load: arimaMembers.load };
