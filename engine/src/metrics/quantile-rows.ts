/** What metrics of quantiles are made of. Predictions hold one quantile a level, by ascending level. */

import type { ScoredRows, ScoredTask } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * The levels that a metric is bound to.
 *
 * @throws TypeError for a task that has none
 */
export function levelsOf({ kind, quantiles }: ScoredTask): readonly number[] {
  if (!quantiles) throw new TypeError(`A ${kind} task does not predict quantiles.`);
  return quantiles;
}

/** The score of a metric that was not bound to a task by `metricOf`. */
export function unbound(name: string): never {
  throw new TypeError(`${name} reads the levels of a task: take the metric from metricOf.`);
}

/** (y − q) τ above the quantile, (q − y) (1 − τ) below it. */
export function pinballLoss(actual: number, quantile: number, level: number): number {
  const rest = actual - quantile;
  return rest >= 0 ? level * rest : (level - 1) * rest;
}

/** Of one level, by its place among the outputs. */
export function pinballOfLevel(rows: ScoredRows, place: number, level: number): number {
  const { target, predictions, outputs } = rows;
  return weightedMean(rows, (i) => pinballLoss(target[i], predictions[i * outputs + place], level));
}

/** Share of rows that are at or below their quantile of one level. */
export function shareBelow(rows: ScoredRows, place: number): number {
  const { target, predictions, outputs } = rows;
  return weightedMean(rows, (i) => (target[i] <= predictions[i * outputs + place] ? 1 : 0));
}

/** Share of rows that are not outside their quantiles of the outermost levels. */
export function shareWithin(rows: ScoredRows): number {
  const { target, predictions, outputs } = rows;
  return weightedMean(rows, (i) => {
    const at = i * outputs;
    return target[i] >= predictions[at] && target[i] <= predictions[at + outputs - 1] ? 1 : 0;
  });
}
