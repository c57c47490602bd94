/** Random forests (Breiman 2001): deep trees on bootstrap samples, few features tried at a node. */

import { forestFamily } from "../forest/forest-family.ts";
import { randomForestLoader } from "./loader.ts";
import portfolio from "./portfolio.json" with { type: "json" };

export const randomForest = forestFamily({
  loader: randomForestLoader,
  title: "Random forest",
  reason: "Averages of deep trees need no tuning and err differently from boosting.",
  randomCuts: false,
  mostRows: 300_000,
  portfolio,
});
