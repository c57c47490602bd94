/** Extremely randomised trees (Geurts, Ernst & Wehenkel 2006): random cuts, on all rows. */

import { forestFamily } from "../forest/forest-family.ts";
import { extraTreesLoader } from "./loader.ts";
import portfolio from "./portfolio.json" with { type: "json" };

export const extraTrees = forestFamily({
  loader: extraTreesLoader,
  title: "Extremely randomised trees",
  reason: "Random splits have less variance than best ones and add diversity to an ensemble.",
  randomCuts: true,
  mostRows: 200_000,
  portfolio,
});
