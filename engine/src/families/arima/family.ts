/** Seasonal ARIMA of each series, its order found by itself (Hyndman & Khandakar 2008). */

import type { SearchSpace } from "../../search/space.ts";
import type { Family } from "../family.ts";
import { LOCAL_SEASONS } from "../local_forecast/local-model.ts";
import { arimaDefaults, arimaLoader, arimaMembers } from "./loader.ts";

const SPACE: SearchSpace = {
  season: { type: "categorical", choices: [...LOCAL_SEASONS] },
  differences: { type: "int", low: 0, high: 2 },
};

export const arima: Family = {
  ...arimaMembers,
  ...arimaLoader,
  title: "Seasonal ARIMA",

  suits: () => ({
    use: true,
    reason: "Autocorrelation of differences, which smoothing does not model.",
  }),

  searchSpace: ({ series }) =>
    series && series.seasons.length > 0 ? SPACE : { differences: SPACE.differences },
  defaults: ({ series }) => arimaDefaults(series?.seasons ?? []),
  portfolio({ series }) {
    const defaults = arimaDefaults(series?.seasons ?? []);
    return [
      defaults,
      ...(series && series.seasons.length > 0 ? [{ ...defaults, season: "all" }] : []),
      { ...defaults, differences: 2 },
    ];
  },
  parameters: () => SPACE,
};
