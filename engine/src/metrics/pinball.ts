import type { Metric } from "./metric.ts";
import { levelsOf, pinballOfLevel, unbound } from "./quantile-rows.ts";

/** Mean over the levels of the mean pinball loss (Koenker & Bassett, Econometrica 46, 1978). */
export const pinball: Metric = {
  name: "pinball",
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
