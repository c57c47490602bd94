/** What metrics are made of; the files beside are one each. Which of them fit a task: `tasks/`. */

export { MetricTaskError, UnknownMetricError } from "./errors.ts";
export { type Metric, type ScoredRows, type ScoredTask, toLoss } from "./metric.ts";
