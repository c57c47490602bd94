/** Seasonal ARIMA of each series, its order found by itself (Hyndman & Khandakar 2008). */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import { fitArima, loadArima } from "../../series/arima/arima-model.ts";
import type { Family } from "../family.ts";
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

const SPACE: SearchSpace = {
  season: { type: "categorical", choices: [...LOCAL_SEASONS] },
  differences: { type: "int", low: 0, high: 2 },
};

const DEFAULTS = { season: "shortest", differences: 1 } as const;
/** Beyond, a season's lags cost more than they gain beside a decomposition. */
const LONG_SEASON = 60;

function methodOf(parameters: Parameters): LocalMethod<unknown> {
  const { season, differences } = parametersSchema.parse(parameters);
  return seasonalMethod(season, {
    fit: (history, seasonLength) =>
      fitArima(history, { seasonLength, mostDifferences: differences }),
    load: (saved) => loadArima(savedSchema.parse(saved)),
  });
}

function defaultsOf(
  seasons: readonly number[],
): typeof DEFAULTS | { season: "all"; differences: 1 } {
  return (seasons[0] ?? 1) > LONG_SEASON ? { ...DEFAULTS, season: "all" } : DEFAULTS;
}

export const arima: Family = {
  id: "arima",
  title: "Seasonal ARIMA",
  ...localMembers(methodOf, DEFAULTS),

  suits: () => ({
    use: true,
    reason: "Autocorrelation of differences, which smoothing does not model.",
  }),

  searchSpace: ({ series }) =>
    series && series.seasons.length > 0 ? SPACE : { differences: SPACE.differences },
  defaults: ({ series }) => defaultsOf(series?.seasons ?? []),
  portfolio({ series }) {
    const defaults = defaultsOf(series?.seasons ?? []);
    return [
      defaults,
      ...(series && series.seasons.length > 0 ? [{ ...defaults, season: "all" }] : []),
      { ...defaults, differences: 2 },
    ];
  },
  parameters: () => SPACE,
};
