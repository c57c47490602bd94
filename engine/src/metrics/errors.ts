/** What is wrong with the name of a metric. */

/** A metric was asked for that nobody has written; the message lists those that exist. */
export class UnknownMetricError extends Error {
  override readonly name = "UnknownMetricError";
  readonly metric: string;
  readonly known: readonly string[];

  constructor(metric: string, known: readonly string[]) {
    super(`Unknown metric "${metric}". Known metrics: ${known.join(", ")}.`);
    this.metric = metric;
    this.known = known;
  }
}

/** A metric was asked for that says nothing of this task; the message lists those that do. */
export class MetricTaskError extends Error {
  override readonly name = "MetricTaskError";
  readonly metric: string;
  readonly task: string;
  readonly fitting: readonly string[];

  constructor(metric: string, task: string, fitting: readonly string[]) {
    super(
      `Metric "${metric}" does not fit a ${task} task. Metrics that do: ${fitting.join(", ")}.`,
    );
    this.metric = metric;
    this.task = task;
    this.fitting = fitting;
  }
}
