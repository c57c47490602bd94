/** The theta method of each series (Fiorucci et al. 2016). */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import { fitTheta, loadTheta, THETA_FORMS } from "../../series/theta/theta-model.ts";
import type { Family } from "../family.ts";
import {
  allOfSeveral,
  LOCAL_SEASONS,
  type LocalMethod,
  localMembers,
  seasonalMethod,
} from "../local_forecast/local-model.ts";

const DECOMPOSITIONS = ["multiplicative", "additive"] as const;

const parametersSchema = z.object({
  form: z.enum(THETA_FORMS),
  decomposition: z.enum(DECOMPOSITIONS),
  season: z.enum(LOCAL_SEASONS),
});

const savedSchema = z.object({
  form: z.enum(THETA_FORMS),
  season: z.object({ form: z.enum(DECOMPOSITIONS), indices: z.array(z.number()) }).nullable(),
  alpha: z.number(),
  omega: z.number(),
});

const SPACE: SearchSpace = {
  form: { type: "categorical", choices: [...THETA_FORMS] },
  decomposition: { type: "categorical", choices: [...DECOMPOSITIONS] },
  season: { type: "categorical", choices: [...LOCAL_SEASONS] },
};

const DEFAULTS = {
  form: "dynamic_optimised",
  decomposition: "multiplicative",
  season: "shortest",
} as const;

function methodOf(parameters: Parameters): LocalMethod<unknown> {
  const { form, decomposition, season } = parametersSchema.parse(parameters);
  return seasonalMethod(season, {
    fit: (history, seasonLength) => fitTheta(history, { form, decomposition, seasonLength }),
    load: (saved) => loadTheta(savedSchema.parse(saved)),
  });
}

export const theta: Family = {
  id: "theta",
  title: "Theta method",
  ...localMembers(methodOf, DEFAULTS),

  suits: () => ({
    use: true,
    reason: "A line and smoothing, averaged: the M3 competition's winner, and seldom far off.",
  }),

  searchSpace: ({ series }) => (series && series.seasons.length > 0 ? SPACE : { form: SPACE.form }),
  defaults: ({ series }) => allOfSeveral(DEFAULTS, series?.seasons ?? []),
  portfolio({ series }) {
    const seasons = series?.seasons ?? [];
    const defaults = allOfSeveral(DEFAULTS, seasons);
    return [
      defaults,
      { ...defaults, form: "optimised" },
      { ...defaults, form: "standard" },
      ...(seasons.length > 0 ? [{ ...defaults, decomposition: "additive" }] : []),
      ...(seasons.length > 1 ? [DEFAULTS, { ...defaults, season: "longest" }] : []),
    ];
  },
  parameters: () => SPACE,
};
