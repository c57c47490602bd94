import type { Metric } from "./metric.ts";
import { levelsOf, pinballOfLevel, unbound } from "./quantile-rows.ts";

/** Mean over the levels of the mean pinball loss (Koenker & Bassett, Econometrica 46, 1978). */
export const pinball: Metric = {
  name: "pinball",
  aliases: [
    "mean_pinball_loss",
    "neg_mean_pinball_loss",
    "pinball_loss",
    "quantile",
    "quantile_loss",
  ],
  direction: "minimize",
  needs: "value",
  score: () => unbound("pinball"),
  ofTask(task) {
    const levels = levelsOf(task);
    return {
      ...pinball,
      score: (rows) =>
        levels.reduce((sum, level, place) => sum + pinballOfLevel(rows, place, level), 0) /
        levels.length,
    };
  },
};
