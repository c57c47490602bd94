/** A score that is too good: told, since it is a leak more often than a triumph. */

import { metricOf } from "../../../tasks/fitting-metrics.ts";
import type { Scores } from "../../log/events.ts";
import { baselines } from "../baseline.ts";
import type { ScoredRun } from "../guessing.ts";

/** By metric, from where on a score is near perfect. */
const NEARLY_PERFECT: Readonly<Record<string, (score: number) => boolean>> = {
  accuracy: (score) => score >= 0.999,
  balanced_accuracy: (score) => score >= 0.999,
  roc_auc: (score) => score >= 0.9995,
  average_precision: (score) => score >= 0.999,
  f1: (score) => score >= 0.999,
  f1_macro: (score) => score >= 0.999,
  mcc: (score) => score >= 0.998,
  log_loss: (score) => score <= 0.005,
  brier: (score) => score <= 0.001,
  r2: (score) => score >= 0.999,
  // Of these only what the best constant answer, or a series' last values, miss says how much is little.
  mae: () => true,
  mase: () => true,
  smape: () => true,
  wql: () => true,
};
/** Of the label's variance, that a near perfect model of numbers misses at most. */
const MISSED = 0.001;
/** Likewise, of what the best constant answer misses: where nearly all rows are of one class, it misses little. */
const MISSED_OF_CONSTANT = 0.01;

/** @param scores of the model, on the rows of the folds */
export function perfectScoreWarnings(scores: Scores, run: ScoredRun): string[] {
  const named = Object.entries(scores).find(
    ([metric, score]) => score !== null && isNearlyPerfect(metric, score, run),
  );
  if (!named) return [];
  return [
    `The score is near perfect (${named[0]} ${Number((named[1] ?? 0).toPrecision(4))}). Real data seldom allow that: check whether one of the most important columns is derived from the label or known only after it, and whether rows occur twice.`,
  ];
}

function isNearlyPerfect(name: string, score: number, run: ScoredRun): boolean {
  const { target, weights, plan } = run;
  if (name === "rmse") {
    const variance = varianceOf(target.subarray(0, plan.rows), weights?.subarray(0, plan.rows));
    return score * score <= MISSED * variance;
  }
  if (!NEARLY_PERFECT[name]?.(score)) return false;
  const metric = metricOf(run.task, name);
  const perfect = metric.direction === "maximize" ? 1 : 0;
  const { best } = baselines({ ...run, rows: plan.rows }, [metric]);
  const constant = best[name].score;
  // A series may be perfectly regular, with nothing to find out.
  return (
    constant === null ||
    (constant !== perfect &&
      Math.abs(score - perfect) <= MISSED_OF_CONSTANT * Math.abs(constant - perfect))
  );
}

function varianceOf(values: Float64Array, weights: Float64Array | undefined): number {
  const weightOf = (row: number): number => weights?.[row] ?? 1;
  let [total, sum] = [0, 0];
  for (const [row, value] of values.entries()) {
    total += weightOf(row);
    sum += weightOf(row) * value;
  }
  const mean = sum / total;
  const squares = values.reduce((all, value, row) => all + weightOf(row) * (value - mean) ** 2, 0);
  return squares / total;
}
