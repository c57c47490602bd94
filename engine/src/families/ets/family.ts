/** Exponential smoothing of each series, all admissible forms (Hyndman et al. 2008). */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import { ETS_CHOICES, fitEts, loadEts } from "../../series/ets/ets-model.ts";
import type { Family } from "../family.ts";
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

const SPACE: SearchSpace = {
  choice: { type: "categorical", choices: [...ETS_CHOICES] },
  season: { type: "categorical", choices: [...LOCAL_SEASONS] },
};

const DEFAULTS = { choice: "weights", season: "shortest" } as const;

function methodOf(parameters: Parameters): LocalMethod<unknown> {
  const { choice, season } = parametersSchema.parse(parameters);
  return seasonalMethod(season, {
    fit: (history, seasonLength) => fitEts(history, { choice, seasonLength }),
    load: (saved) => loadEts(savedSchema.parse(saved)),
  });
}

export const ets: Family = {
  id: "ets",
  title: "Exponential smoothing",
  ...localMembers(methodOf, DEFAULTS),

  suits: () => ({
    use: true,
    reason: "Drifting level, trend and season, in the form that fits each series best.",
  }),

  searchSpace: ({ series }) =>
    series && series.seasons.length > 0 ? SPACE : { choice: SPACE.choice },
  defaults: ({ series }) => allOfSeveral(DEFAULTS, series?.seasons ?? []),
  portfolio({ series }) {
    const seasons = series?.seasons ?? [];
    const defaults = allOfSeveral(DEFAULTS, seasons);
    const other = defaults === DEFAULTS ? { ...DEFAULTS, season: "all" } : DEFAULTS;
    return [defaults, { ...defaults, choice: "best" }, ...(seasons.length > 0 ? [other] : [])];
  },
  parameters: () => SPACE,
};
