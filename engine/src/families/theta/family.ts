/** The theta method of each series (Fiorucci et al. 2016). */

import type { SearchSpace } from "../../search/space.ts";
import { THETA_FORMS } from "../../series/theta/theta-model.ts";
import type { Family } from "../family.ts";
import { allOfSeveral, LOCAL_SEASONS } from "../local_forecast/local-model.ts";
import { DECOMPOSITIONS, DEFAULTS, thetaLoader, thetaMembers } from "./loader.ts";

const SPACE: SearchSpace = {
  form: { type: "categorical", choices: [...THETA_FORMS] },
  decomposition: { type: "categorical", choices: [...DECOMPOSITIONS] },
  season: { type: "categorical", choices: [...LOCAL_SEASONS] },
};

export const theta: Family = {
  ...thetaMembers,
  ...thetaLoader,
  title: "Theta method",

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
