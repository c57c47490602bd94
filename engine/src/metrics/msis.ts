import { ofCrossFittedIntervals } from "./forecast-quantiles.ts";
import { coverageOf } from "./interval-coverage.ts";
import { type Metric, type ScoredRows, seriesOf } from "./metric.ts";
import { unbound } from "./quantile-rows.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * Mean scaled interval score of the central interval, cross-fitted around each forecast: its width, and
 * 2 / (1 − coverage) times how far the value lies outside, over the error of the seasonal naive method
 * within the series' own past (Makridakis, Spiliotis & Assimakopoulos, "The M4 Competition", 2020, §2.3;
 * Gneiting & Raftery 2007, §6.2).
 */
export const msis: Metric = {
  name: "msis",
  aliases: ["mean_scaled_interval_score"],
  direction: "minimize",
  needs: "value",
  leastRows: 2,
  score: () => unbound("msis"),
  ofTask(task) {
    const coverage = coverageOf(task);
    return ofCrossFittedIntervals(msis, coverage, (rows, ends) =>
      scaledIntervalScore(rows, ends, coverage),
    );
  },
};

/** @param ends lower and upper, row by row */
export function scaledIntervalScore(
  rows: ScoredRows,
  ends: Float64Array,
  coverage: number,
): number {
  const { scale } = seriesOf(rows, "msis");
  const penalty = 2 / (1 - coverage);
  return weightedMean(rows, (i) => {
    const [y, lower, upper] = [rows.target[i], ends[2 * i], ends[2 * i + 1]];
    const outside = Math.max(0, lower - y, y - upper);
    return (upper - lower + penalty * outside) / scale[i];
  });
}
