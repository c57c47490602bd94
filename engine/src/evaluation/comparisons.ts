/** Models against the first of them: differences of their scores on the same rows, and how sure they are. */

import type { Metric } from "../metrics/metric.ts";
import { intervalAround, type Resampled } from "./bootstrap.ts";
import type { Evaluation } from "./evaluation-document.ts";

/**
 * @param models their ids, the one that the others are compared with first
 * @param whole of each model its scores on all rows, one a metric
 */
export function comparisonsOf(
  models: readonly string[],
  metrics: readonly Metric[],
  whole: readonly (readonly number[])[],
  { deviations }: Resampled,
): Evaluation["comparisons"] {
  return models.slice(1).flatMap((model, at) =>
    metrics.map((metric, k): Evaluation["comparisons"][number] => {
      const difference = whole[at + 1][k] - whole[0][k];
      const differences = deviations[at + 1][k].map((each, draw) => each - deviations[0][k][draw]);
      const sign = metric.direction === "minimize" ? -1 : 1;
      const known = differences.filter((each) => !Number.isNaN(each));
      const better = known.reduce((sum, each) => {
        const gain = sign * (difference + each);
        return sum + (gain > 0 ? 1 : gain === 0 ? 0.5 : 0);
      }, 0);
      const interval = intervalAround(difference, differences);
      return {
        model,
        against: models[0],
        metric: metric.name,
        difference: Number.isFinite(difference) ? difference : null,
        interval,
        betterShare: interval === null ? null : better / known.length,
      };
    }),
  );
}
