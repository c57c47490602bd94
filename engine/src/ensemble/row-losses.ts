/** What each row adds to a loss, for comparing candidates row by row. */

import type { Metric } from "../metrics/index.ts";
import type { LabelledRows } from "./labelled-rows.ts";

/** Metrics that are means or medians of errors, not of their squares. */
const ABSOLUTE: readonly string[] = ["mae", "median_absolute_error"];
const RELATIVE = "mape";

const isSquared = ({ name }: Metric): boolean => !ABSOLUTE.includes(name) && name !== RELATIVE;

/**
 * Of classes the log-loss, whatever the metric: areas and labels have no loss of one row that says as much.
 * Of values the absolute error where the metric takes it as it is, the relative one of mape, else the square
 * of the error.
 *
 * @returns one a row; before row weights
 */
export function rowLosses(
  metric: Metric,
  predictions: Float64Array,
  { target, outputs }: Pick<LabelledRows, "target" | "outputs">,
): Float64Array {
  if (metric.needs !== "value") return logLosses(predictions, { target, outputs });
  return target.map((y, i) => {
    const error = Math.abs(predictions[i] - y);
    if (ABSOLUTE.includes(metric.name)) return error;
    return metric.name === RELATIVE ? error / Math.max(Math.abs(y), Number.EPSILON) : error * error;
  });
}

/** Of classes, by probabilities that are kept from 0. @returns nats, one a row; before row weights */
export function logLosses(
  probabilities: Float64Array,
  { target, outputs }: Pick<LabelledRows, "target" | "outputs">,
): Float64Array {
  const losses = new Float64Array(target.length);
  for (let i = 0; i < losses.length; i++) {
    const y = target[i];
    const one = outputs > 1 ? probabilities[i * outputs + y] : probabilities[i];
    const p = outputs > 1 || y === 1 ? one : 1 - one;
    losses[i] = -Math.log(Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, p)));
  }
  return losses;
}

/**
 * A difference of mean losses of rows in nats. Log-losses are; errors of values, and their squares, by a Laplace or
 * a Gaussian law of the least ones' size.
 */
export function inNats(metric: Metric, difference: number, least: number): number {
  if (metric.needs !== "value") return difference;
  return difference / ((isSquared(metric) ? 2 : 1) * least);
}
