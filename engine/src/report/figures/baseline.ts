/**
 * What an answer would score that looks at no column: fitted to each fold's training labels and scored on
 * its held-out rows, as the model is. Of several such answers the best counts, so that a model is held
 * against the strongest of them.
 */

import { quantile } from "../../data/quantile.ts";
import { type Metric, toLoss } from "../../metrics/index.ts";
import { outputCount, type Task } from "../../tasks/task.ts";
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
  const candidates = answersOf(given).map(({ answer, of }) => ({
    answer,
    predictions: constantPredictions(given, outputs, of),
  }));
  return Object.fromEntries(
    metrics.map((metric) => {
      const scored = candidates.map(({ answer, predictions }) => {
        const score = metric.score({ target, predictions, outputs, weights: validWeights });
        return { answer: nameFor(answer, metric), score: Number.isFinite(score) ? score : null };
      });
      return [metric.name, bestOf(metric, scored)];
    }),
  );
}

interface Answer {
  readonly answer: string;
  /** One number an output, from a fold's training rows. */
  readonly of: (train: Uint32Array) => Float64Array;
}

function answersOf({ task, target, weights }: BaselineRows): Answer[] {
  const weightOf = (row: number): number => (weights === null ? 1 : weights[row]);
  if (task.kind !== "regression") {
    return [{ answer: CLASS_SHARES, of: (train) => classShares(task, target, weightOf, train) }];
  }
  return [
    {
      answer: "the mean",
      of: (train) => {
        let sum = 0;
        let weight = 0;
        for (const row of train) {
          sum += weightOf(row) * target[row];
          weight += weightOf(row);
        }
        return Float64Array.of(sum / weight);
      },
    },
    // Of rows that weigh differently it is another one.
    ...(weights === null ? [medianOf(target)] : []),
  ];
}

const medianOf = (target: Float64Array): Answer => ({
  answer: "the median",
  of: (train) =>
    Float64Array.of(quantile(Float64Array.from(train, (row) => target[row]).sort(), 0.5)),
});

const CLASS_SHARES = "the classes' shares";

function nameFor(answer: string, metric: Metric): string {
  return answer === CLASS_SHARES && metric.needs === "label" ? "the most frequent class" : answer;
}

function classShares(
  task: Task,
  target: Float64Array,
  weightOf: (row: number) => number,
  train: Uint32Array,
): Float64Array {
  const shares = new Float64Array(task.classes.length);
  let total = 0;
  for (const row of train) {
    shares[target[row]] += weightOf(row);
    total += weightOf(row);
  }
  const probabilities = shares.map((share) => share / total);
  return outputCount(task) === 1 ? probabilities.slice(1, 2) : probabilities;
}

function constantPredictions(
  { folds, rows }: BaselineRows,
  outputs: number,
  of: Answer["of"],
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
