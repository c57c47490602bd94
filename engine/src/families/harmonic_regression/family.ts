/**
 * The year of days and weeks as waves, and a local model of what they leave (Hyndman & Athanasopoulos, "Forecasting:
 * principles and practice", 3rd ed., sec. 10.5 and 12.1): a year is no whole number of such steps, and a level for each of
 * them would be more than a few years tell.
 */

import type { SearchSpace } from "../../search/space.ts";
import type { Family } from "../family.ts";
import { harmonicMembers, harmonicRegressionLoader } from "./loader.ts";
import { DEFAULTS, RESTS } from "./method.ts";

const SPACE: SearchSpace = { rest: { type: "categorical", choices: [...RESTS] } };

export const harmonicRegression: Family = {
  ...harmonicMembers,
  ...harmonicRegressionLoader,
  title: "Waves of the year (harmonic regression)",

  suits: ({ series }) =>
    series?.year === undefined
      ? { use: false, reason: "No year of days or weeks is long enough to be seen." }
      : { use: true, reason: "Days and weeks have a year, which models of a week do not know." },

  searchSpace: () => SPACE,
  defaults: () => DEFAULTS,
  portfolio: () => RESTS.map((rest) => ({ rest })),
  parameters: () => SPACE,
};
