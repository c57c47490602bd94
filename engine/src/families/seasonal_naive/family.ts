/** The last season again, or an average of the last few: what every forecast is held against. */

import type { SearchSpace } from "../../search/space.ts";
import { BASELINE_METHODS } from "../../series/baselines/baselines.ts";
import type { DataShape, Family } from "../family.ts";
import { naiveMembers, SEASONAL_NAIVE, seasonalNaiveLoader } from "./loader.ts";

const SPACE: SearchSpace = {
  method: { type: "categorical", choices: [...BASELINE_METHODS] },
  seasons: { type: "int", low: 1, high: 10 },
};

export const seasonalNaive: Family = {
  ...naiveMembers,
  ...seasonalNaiveLoader,
  title: "Seasonal naive",
  isNaive: true,

  suits: () => ({ use: true, reason: "What repeats itself is hard to beat, and costs nothing." }),

  searchSpace: () => ({ method: { type: "categorical", choices: [...BASELINE_METHODS] } }),
  defaults: () => SEASONAL_NAIVE,
  portfolio: ({ series }: DataShape) =>
    [
      SEASONAL_NAIVE.method,
      ...BASELINE_METHODS.filter((method) => method !== SEASONAL_NAIVE.method),
    ]
      .filter((method) => series?.seasons.length || method !== "window_average")
      .map((method) => ({ ...SEASONAL_NAIVE, method })),
  parameters: () => SPACE,
};
