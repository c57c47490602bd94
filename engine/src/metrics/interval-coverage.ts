import { ofCrossFittedIntervals } from "./forecast-quantiles.ts";
import type { Metric, ScoredRows, ScoredTask } from "./metric.ts";
import { unbound } from "./quantile-rows.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * The share that a task's central intervals are to hold.
 *
 * @throws TypeError for a task without intervals
 */
export function coverageOf({ kind, coverage }: ScoredTask): number {
  if (coverage === undefined) throw new TypeError(`A ${kind} task has no coverage.`);
  return coverage;
}

/**
 * Share of rows that are not outside their central interval, cross-fitted around each forecast. It is
 * good near the coverage that was asked for, and not where it is high: `coverage_error` is optimised.
 */
export const intervalCoverage: Metric = {
  name: "coverage",
  aliases: ["interval_coverage", "picp", "prediction_interval_coverage_probability"],
  direction: "maximize",
  optimizedBy: "coverage_error",
  needs: "value",
  leastRows: 2,
  score: () => unbound("coverage"),
  ofTask(task) {
    return ofCrossFittedIntervals(intervalCoverage, coverageOf(task), shareBetween);
  },
};

/** @param ends lower and upper, row by row */
export function shareBetween(rows: ScoredRows, ends: Float64Array): number {
  // Without other rows there are no intervals, and nothing to say.
  if (ends.some(Number.isNaN)) return Number.NaN;
  return weightedMean(rows, (i) =>
    rows.target[i] >= ends[2 * i] && rows.target[i] <= ends[2 * i + 1] ? 1 : 0,
  );
}
