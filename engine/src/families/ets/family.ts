/** Exponential smoothing of each series, all admissible forms (Hyndman et al. 2008). */

import type { SearchSpace } from "../../search/space.ts";
import { ETS_CHOICES } from "../../series/ets/ets-model.ts";
import type { Family } from "../family.ts";
import { allOfSeveral, LOCAL_SEASONS } from "../local_forecast/local-model.ts";
import { DEFAULTS, etsLoader, etsMembers } from "./loader.ts";

const SPACE: SearchSpace = {
  choice: { type: "categorical", choices: [...ETS_CHOICES] },
  season: { type: "categorical", choices: [...LOCAL_SEASONS] },
};

export const ets: Family = {
  ...etsMembers,
  ...etsLoader,
  title: "Exponential smoothing",

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
