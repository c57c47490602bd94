/**
 * Whether the metrics of a run can score its labels, said before the first trial: whatever is predicted, some
 * have no score of some labels, and others one that says nothing.
 */

import { joined, valuesAt } from "../../compute/row-lists.ts";
import { rowNumber, rowsCalled, rowTold } from "../../data/row-origins.ts";
import { shown } from "../../data/shown.ts";
import { DataError, type Table } from "../../data/table.ts";
import {
  type LabelsOfRows,
  type Metric,
  pickSeries,
  type SeriesRows,
} from "../../metrics/metric.ts";
import { metricByName, metricsFor } from "../../tasks/fitting-metrics.ts";
import { outputCount, type Task } from "../../tasks/index.ts";
import type { Fold } from "../../validation/index.ts";

/** Metrics that are named in place of one. */
const MOST_NAMED = 5;

export interface ScorableRequest {
  readonly table: Table;
  readonly labelColumn: string;
  readonly task: Task;
  /** Names; the first is optimised. */
  readonly metrics: readonly string[];
  /** Rows of the table; null = all. */
  readonly rows: Uint32Array | null;
  /** Of these rows, as is everything below. */
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  readonly series: SeriesRows | null;
  readonly folds: readonly Fold[];
}

/**
 * @returns warnings of metrics that say little of some labels, and of folds that have no score
 * @throws DataError where a metric has no score of the run at all, at the first row that is why
 */
export function checkScorable(request: ScorableRequest): string[] {
  const metrics = request.metrics.map(metricByName);
  for (const metric of metrics) {
    refuseLabels(request, metric);
    const why = whyUndefined(request, metric, null);
    if (why === null) continue;
    const { labelColumn } = request;
    throw new DataError(
      `${metric.name} cannot score the label ${shown(labelColumn)}: of the ${rowsCalled(request.table)} that are held out, ${why}. ${instead(request, metric)}`,
      { column: labelColumn },
    );
  }
  return metrics.flatMap((metric) => [
    ...labelWarnings(request, metric),
    ...foldWarnings(request, metric),
  ]);
}

/** Of rows that count: those of no weight are passed over by every metric. */
function placesOutside({ target, weights }: ScorableRequest, { domain }: Metric): number[] {
  if (!domain) return [];
  return [...target.keys()].filter((i) => weights?.[i] !== 0 && !domain.includes(target[i]));
}

function refuseLabels(request: ScorableRequest, metric: Metric): void {
  const { table, rows, labelColumn, target } = request;
  const { domain } = metric;
  if (!domain || domain.meaning !== null) return;
  const [at, ...others] = placesOutside(request, metric);
  if (at === undefined) return;
  const row = rows ? rows[at] : at;
  const more =
    others.length === 0
      ? ""
      : ` (${others.length} more ${rowsCalled(table)} are ${domain.outside})`;
  throw new DataError(
    `The label ${shown(labelColumn)} is ${target[at]} in ${rowTold(table, row)}${more}, and ${metric.name} needs labels ${domain.needs}. Correct or filter out such ${rowsCalled(table)}. ${instead(request, metric)}`,
    { column: labelColumn, row: rowNumber(table, row) },
  );
}

function labelWarnings(request: ScorableRequest, metric: Metric): string[] {
  const { domain } = metric;
  if (!domain?.meaning) return [];
  const outside = placesOutside(request, metric);
  if (outside.length === 0) return [];
  const { table, rows, labelColumn, target } = request;
  const numbers = outside.map((at) => (rows ? rows[at] : at));
  // Sums of series are no rows of the table.
  const first = numbers.find((row) => rowNumber(table, row) > 0);
  const where = first === undefined ? "" : `, first in ${rowTold(table, first)}`;
  return [
    `The label ${shown(labelColumn)} is ${domain.outside} in ${outside.length} of ${target.length} ${rowsCalled(table)}${where}: ${domain.meaning}. ${instead(request, metric)}`,
  ];
}

function foldWarnings(request: ScorableRequest, metric: Metric): string[] {
  const { folds, series, metrics } = request;
  const found = folds.flatMap(({ valid }, fold) => {
    const why = whyUndefined(request, metric, valid);
    return why === null ? [] : [{ fold, why }];
  });
  if (found.length === 0) return [];
  const [{ fold, why }] = found;
  const called = series ? "window" : "fold";
  const which =
    found.length === 1
      ? `In ${called} ${fold + 1} of ${folds.length}`
      : `In ${found.length} of ${folds.length} ${called}s, first in number ${fold + 1},`;
  const so =
    metric.name === metrics[0]
      ? "the search cannot rank trials by it, and their scores of it are left out"
      : "trials have no score of it";
  return [
    `${which} ${metric.name} is undefined, since ${why} there: ${so}. ${instead(request, metric)}`,
  ];
}

/** @param places null = all that are held out */
function whyUndefined(
  request: ScorableRequest,
  metric: Metric,
  places: Uint32Array | null,
): string | null {
  if (request.weights === null && !metric.whyUndefined) return null;
  const labels = labelsAt(request, places ?? joined(request.folds.map(({ valid }) => valid)));
  if (labels.weights?.every((weight) => weight === 0)) return "all rows weigh nothing";
  return metric.whyUndefined?.(labels) ?? null;
}

function labelsAt(
  { task, target, weights, series }: ScorableRequest,
  places: Uint32Array,
): LabelsOfRows {
  return {
    target: valuesAt(target, places),
    outputs: outputCount(task),
    weights: weights && valuesAt(weights, places),
    series: series && pickSeries(series, places),
  };
}

/** Metrics of the kind of task that these labels do no harm to. */
function instead(request: ScorableRequest, metric: Metric): string {
  const names = metricsFor(request.task.kind)
    .filter((other) => other !== metric && other.optimizedBy === undefined)
    .filter((other) => placesOutside(request, other).length === 0)
    .filter((other) =>
      request.folds.every(({ valid }) => whyUndefined(request, other, valid) === null),
    )
    .map(({ name }) => name);
  if (names.length === 0) return "Weigh more rows, or use other folds.";
  return `Metrics that can score all of it: ${names.slice(0, MOST_NAMED).join(", ")}.`;
}
