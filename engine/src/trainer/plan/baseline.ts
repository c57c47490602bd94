/**
 * What an answer would score that looks at no column: fitted to each fold's training labels and scored on
 * its held-out rows, as the model is. Of several such answers the best counts, so that a model is held
 * against the strongest of them.
 */

import { joined, rowsWhere, valuesAt } from "../../compute/row-lists.ts";
import { scoredByMany } from "../../metrics/forecast-quantiles.ts";
import { type Metric, toLoss } from "../../metrics/index.ts";
import { pickSeries, type ScoredRows, type SeriesRows } from "../../metrics/metric.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import type { ConstantAnswer } from "../../tasks/task-type.ts";
import type { Fold } from "../../validation/fold.ts";

export interface BaselineRows {
  readonly task: Task;
  /** One a row: the value, or the index of the class. */
  readonly target: Float64Array;
  /** Of metrics; null = all 1. */
  readonly weights: Float64Array | null;
  /** Of which training rows from `rows` on are left out: they are made up. */
  readonly folds: readonly Fold[];
  readonly rows: number;
  /** Of forecasts. */
  readonly series?: SeriesRows | null;
}

export interface Baseline {
  readonly answer: string;
  /** By metric; null where it is undefined. */
  readonly score: number | null;
}

export interface Baselines {
  /** By metric. */
  readonly best: Readonly<Record<string, Baseline>>;
  /** By metric; null where the rows have no order. */
  readonly lastValue: Readonly<Record<string, number | null>> | null;
}

/** `naive2` of the M competitions, as answers of it are called. */
export const ADJUSTED_LAST_VALUE = "the last value, seasonally adjusted";

/**
 * The best constant answer by each metric; in the order of time also the last value, by itself, since a
 * forecast is held against it first (the naive method; Hyndman & Athanasopoulos, "Forecasting: principles
 * and practice", §5.2).
 */
export function baselines(given: BaselineRows, metrics: readonly Metric[]): Baselines {
  const valid = joined(given.folds.map((fold) => fold.valid));
  const target = valuesAt(given.target, valid);
  const { weights } = given;
  const validWeights = weights ? valuesAt(weights, valid) : null;
  const outputs = outputCount(given.task);
  const series = given.series && pickSeries(given.series, valid);
  const rowsOf = new Map<Candidate, ScoredRows>();
  const scoreBy = (metric: Metric, candidate: Candidate): Baseline => {
    const { nameFor, predictions } = candidate;
    const rows =
      rowsOf.get(candidate) ??
      scoredByMany({ target, predictions, outputs, weights: validWeights, series });
    rowsOf.set(candidate, rows);
    const score = metric.score(rows);
    return { answer: nameFor(metric), score: Number.isFinite(score) ? score : null };
  };
  const answers = typeOf(given.task).constants(given.task, given);
  const last = lastValueOf(given, answers[0], outputs);
  const candidates = [
    ...answers.map((answer) => ({
      nameFor: (metric: Metric) => answer.nameFor(metric),
      predictions: constantPredictions(given, outputs, ({ train }) =>
        answer.of(
          given.target.length > given.rows ? rowsWhere(train, (row) => row < given.rows) : train,
        ),
      ),
    })),
    ...(last ? [last] : []),
    ...(series ? [{ nameFor: () => ADJUSTED_LAST_VALUE, predictions: series.reference }] : []),
  ];
  return {
    best: Object.fromEntries(
      metrics.map((metric) => {
        const scored = candidates.map((each) => scoreBy(metric, each));
        return [metric.name, bestOf(metric, scored)];
      }),
    ),
    lastValue:
      last && Object.fromEntries(metrics.map((each) => [each.name, scoreBy(each, last).score])),
  };
}

interface Candidate {
  readonly nameFor: (metric: Metric) => string;
  readonly predictions: Float64Array;
}

/** What was seen last before each fold; of several rows of that time their mean or shares. */
function lastValueOf(
  given: BaselineRows,
  answer: ConstantAnswer,
  outputs: number,
): Candidate | null {
  if (given.folds.some(({ latest }) => latest === undefined)) return null;
  return {
    nameFor: () => "the last value",
    predictions: constantPredictions(given, outputs, ({ train, latest = train }) =>
      answer.of(latest),
    ),
  };
}

function constantPredictions(
  { folds }: BaselineRows,
  outputs: number,
  of: (fold: Fold) => Float64Array,
): Float64Array {
  const predictions = new Float64Array(
    outputs * folds.reduce((sum, { valid }) => sum + valid.length, 0),
  );
  let at = 0;
  for (const fold of folds) {
    const answer = of(fold);
    for (let row = 0; row < fold.valid.length; row++, at += outputs) predictions.set(answer, at);
  }
  return predictions;
}

function bestOf(metric: Metric, scored: readonly Baseline[]): Baseline {
  const loss = ({ score }: Baseline): number =>
    score === null ? Number.POSITIVE_INFINITY : toLoss(metric, score);
  return scored.reduce((best, each) => (loss(each) < loss(best) ? each : best));
}
