import { ofCrossFittedIntervals } from "./forecast-quantiles.ts";
import { shareBetween } from "./interval-coverage.ts";
import type { Metric } from "./metric.ts";
import { levelsOf, shareBelow, shareWithin, unbound } from "./quantile-rows.ts";

/**
 * How far the share of rows between the outermost quantiles is from what their levels say; 0 is best.
 * With one level, the same of the share at or below it; of forecasts, that of their central interval.
 */
export const coverageError: Metric = {
  name: "coverage_error",
  aliases: [],
  direction: "minimize",
  needs: "value",
  score: () => unbound("coverage_error"),
  ofTask(task) {
    const { coverage } = task;
    if (coverage !== undefined) {
      return ofCrossFittedIntervals({ ...coverageError, leastRows: 2 }, coverage, (rows, ends) =>
        Math.abs(shareBetween(rows, ends) - coverage),
      );
    }
    const levels = levelsOf(task);
    const several = levels.length > 1;
    const nominal = several ? levels[levels.length - 1] - levels[0] : levels[0];
    return {
      ...coverageError,
      score: (rows) => Math.abs((several ? shareWithin(rows) : shareBelow(rows, 0)) - nominal),
    };
  },
};
