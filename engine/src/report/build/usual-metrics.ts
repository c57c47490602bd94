/** The metrics that people ask of such a task, whether or not the run optimised them. */

import type { Metric } from "../../metrics/index.ts";
import type { ScoredRows } from "../../metrics/metric.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import { type Task, typeOf } from "../../tasks/index.ts";

export function usualMetrics(task: Task): readonly Metric[] {
  return typeOf(task).usualMetrics.map(({ name }) => metricOf(task, name));
}

/**
 * Null where a metric is undefined.
 *
 * @param labels of two classes, what metrics of labels read; else null
 */
export function scoresBy(
  metrics: readonly Metric[],
  rows: ScoredRows,
  labels: Float64Array | null,
): Record<string, number | null> {
  return Object.fromEntries(
    metrics.map((metric) => {
      const isDecided = metric.needs === "label" && labels !== null;
      const score = metric.score(isDecided ? { ...rows, predictions: labels } : rows);
      return [metric.name, Number.isFinite(score) ? score : null];
    }),
  );
}
