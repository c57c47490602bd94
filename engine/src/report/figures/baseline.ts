/**
 * What an answer would score that looks at no column: fitted to each fold's training labels and scored on
 * its held-out rows, as the model is. Of several such answers the best counts, so that a model is held
 * against the strongest of them.
 */

import { type Metric, toLoss } from "../../metrics/index.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { Task } from "../../tasks/task.ts";
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
}

export interface Baseline {
  readonly answer: string;
  /** By metric; null where it is undefined. */
  readonly score: number | null;
}

/** The best constant answer by each metric. */
export function baselines(
  given: BaselineRows,
  metrics: readonly Metric[],
): Readonly<Record<string, Baseline>> {
  const valid = given.folds.flatMap((fold) => [...fold.valid]);
  const target = Float64Array.from(valid, (row) => given.target[row]);
  const { weights } = given;
  const validWeights = weights ? Float64Array.from(valid, (row) => weights[row]) : null;
  const outputs = outputCount(given.task);
  const candidates = typeOf(given.task)
    .constants(given.task, given)
    .map((answer) => ({
      answer,
      predictions: constantPredictions(given, outputs, (train) => answer.of(train)),
    }));
  return Object.fromEntries(
    metrics.map((metric) => {
      const scored = candidates.map(({ answer, predictions }) => {
        const score = metric.score({ target, predictions, outputs, weights: validWeights });
        return { answer: answer.nameFor(metric), score: Number.isFinite(score) ? score : null };
      });
      return [metric.name, bestOf(metric, scored)];
    }),
  );
}

function constantPredictions(
  { folds, rows }: BaselineRows,
  outputs: number,
  of: ConstantAnswer["of"],
): Float64Array {
  const predictions = new Float64Array(
    outputs * folds.reduce((sum, { valid }) => sum + valid.length, 0),
  );
  let at = 0;
  for (const { train, valid } of folds) {
    const answer = of(train.filter((row) => row < rows));
    for (let row = 0; row < valid.length; row++, at += outputs) predictions.set(answer, at);
  }
  return predictions;
}

function bestOf(metric: Metric, scored: readonly Baseline[]): Baseline {
  const loss = ({ score }: Baseline): number =>
    score === null ? Number.POSITIVE_INFINITY : toLoss(metric, score);
  return scored.reduce((best, each) => (loss(each) < loss(best) ? each : best));
}
