/** The metrics that people ask of such a task, whether or not the run optimised them. */

import type { Metric } from "../../metrics/index.ts";
import type { SeriesRows } from "../../metrics/metric.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";

export function usualMetrics(task: Task): readonly Metric[] {
  return typeOf(task).usualMetrics.map(({ name }) => metricOf(task, name));
}

/** Null where a metric is undefined. */
export function scoresBy(
  metrics: readonly Metric[],
  rows: {
    readonly task: Task;
    readonly target: Float64Array;
    readonly predictions: Float64Array;
    readonly weights: Float64Array | null;
    /** Of two classes, what metrics of labels read; else null. */
    readonly labels: Float64Array | null;
    /** Of forecasts. */
    readonly series: SeriesRows | null;
  },
): Record<string, number | null> {
  const { task, target, weights, labels, series } = rows;
  return Object.fromEntries(
    metrics.map((metric) => {
      const predictions = metric.needs === "label" && labels ? labels : rows.predictions;
      const outputs = outputCount(task);
      const score = metric.score({ target, predictions, outputs, weights, series });
      return [metric.name, Number.isFinite(score) ? score : null];
    }),
  );
}
