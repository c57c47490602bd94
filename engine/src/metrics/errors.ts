/** What is wrong with the name of a metric. */

/** A metric was asked for that does not exist or does not fit the task; the message lists those that do. */
export class MetricError extends Error {
  override readonly name = "MetricError";
}
