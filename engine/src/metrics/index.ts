/** The metrics there are, by name and by task. */

import type { TaskKind } from "../tasks/task.ts";
import { accuracy } from "./accuracy.ts";
import { metricNameOf } from "./aliases.ts";
import { averagePrecision } from "./average-precision.ts";
import { balancedAccuracy } from "./balanced-accuracy.ts";
import { brier } from "./brier.ts";
import { MetricTaskError, UnknownMetricError } from "./errors.ts";
import { f1 } from "./f1.ts";
import { f1Macro } from "./f1-macro.ts";
import { logLoss } from "./log-loss.ts";
import { mae } from "./mae.ts";
import { mape } from "./mape.ts";
import { mcc } from "./mcc.ts";
import { medianAbsoluteError } from "./median-absolute-error.ts";
import type { Metric } from "./metric.ts";
import { r2 } from "./r2.ts";
import { rmse } from "./rmse.ts";
import { rmsle } from "./rmsle.ts";
import { rocAuc } from "./roc-auc.ts";

export { metricNameOf } from "./aliases.ts";

/** Every metric, regression first. */
export const METRICS: readonly Metric[] = Object.freeze([
  rmse,
  mae,
  r2,
  mape,
  medianAbsoluteError,
  rmsle,
  logLoss,
  rocAuc,
  averagePrecision,
  accuracy,
  balancedAccuracy,
  f1,
  f1Macro,
  brier,
  mcc,
]);

/**
 * @param name or an alias (`metricNameOf`)
 * @throws UnknownMetricError
 */
export function metricByName(name: string): Metric {
  const canonical = metricNameOf(name);
  const metric = METRICS.find((each) => each.name === canonical);
  if (metric === undefined) {
    throw new UnknownMetricError(
      name,
      METRICS.map((each) => each.name),
    );
  }
  return metric;
}

/** The metrics that say something of such a task. */
export function metricsFor(task: TaskKind): readonly Metric[] {
  return METRICS.filter((metric) => metric.tasks.includes(task));
}

/**
 * The metric of that name, made sure to fit the task.
 *
 * @throws UnknownMetricError
 * @throws MetricTaskError
 */
export function metricForTask(name: string, task: TaskKind): Metric {
  const metric = metricByName(name);
  if (!metric.tasks.includes(task)) {
    throw new MetricTaskError(
      name,
      task,
      metricsFor(task).map((each) => each.name),
    );
  }
  return metric;
}

/** What is optimised where a request names no metric. */
export function defaultMetric(task: TaskKind): Metric {
  return task === "regression" ? rmse : logLoss;
}

export { MetricTaskError, UnknownMetricError } from "./errors.ts";
export { type Metric, type ScoredRows, toLoss } from "./metric.ts";
