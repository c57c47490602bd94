/** The metrics there are, by name and by what fits a task. */

import { MetricError } from "../metrics/errors.ts";
import { ofHeldForecasts } from "../metrics/held-forecasts.ts";
import type { Metric } from "../metrics/metric.ts";
import { TASK_KINDS, type Task, type TaskKind, taskType } from "./index.ts";

/** Every metric, regression first. */
export const METRICS: readonly Metric[] = Object.freeze([
  ...new Set(TASK_KINDS.flatMap((kind) => taskType(kind).metrics)),
]);

const NAME_OF = new Map(
  METRICS.flatMap(({ name, aliases }) => [name, ...aliases].map((each) => [each, name] as const)),
);

/**
 * The name that a metric has here: of an alias, in any case, with spaces or hyphens for underscores.
 * A name that nobody knows comes back as it is.
 */
export function metricNameOf(name: string): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return NAME_OF.get(plain) ?? name;
}

/**
 * @param name or an alias (`metricNameOf`)
 * @throws MetricError
 */
export function metricByName(name: string): Metric {
  const canonical = metricNameOf(name);
  const metric = METRICS.find((each) => each.name === canonical);
  if (metric === undefined) {
    const known = METRICS.map((each) => each.name).join(", ");
    throw new MetricError(`Unknown metric "${name}". Known metrics: ${known}.`);
  }
  return metric;
}

/** The metrics that say something of such a task. */
export function metricsFor(task: TaskKind): readonly Metric[] {
  return taskType(task).metrics;
}

/**
 * The metric of that name, made sure to fit the task.
 *
 * @throws MetricError
 */
export function metricForTask(name: string, task: TaskKind): Metric {
  const metric = metricByName(name);
  if (!metricsFor(task).includes(metric)) {
    const fitting = metricsFor(task).map((each) => each.name);
    throw new MetricError(
      `Metric "${name}" does not fit a ${task} task. Metrics that do: ${fitting.join(", ")}.`,
    );
  }
  return metric;
}

/** What is optimised where a request names no metric. */
export function defaultMetric(task: TaskKind): Metric {
  return metricsFor(task)[0];
}

/** The metric of that name as it scores this task, forecasts as they are answered. */
export function metricOf(task: Task, name: string): Metric {
  const metric = metricByName(name);
  return ofHeldForecasts(metric.ofTask?.(task) ?? metric);
}
