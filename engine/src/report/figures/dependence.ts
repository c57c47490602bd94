/**
 * How the predictions of a model change with one column, whatever the model: partial dependence (Friedman, "Greedy
 * function approximation: a gradient boosting machine", Annals of Statistics 2001, §8.2), the spread of what it is
 * the mean of (individual conditional expectations, each about its own mean: Goldstein et al., "Peeking inside the
 * black box", JCGS 2015), and accumulated local effects (Apley & Zhu, "Visualizing the effects of predictor
 * variables in black box supervised learning models", JRSS B 2020).
 *
 * Partial dependence gives every row each value of the column, also those that do not occur together with the
 * rest of the row. Accumulated effects move each row only from one end of its own interval to the other.
 */

import { lowerBound } from "../../data/lower-bound.ts";
import { quantile } from "../../data/quantile.ts";

/** Predictions of some rows with other values in one column: row-major, rows × outputs. */
export type PredictWith<Value> = (
  rows: readonly number[],
  values: readonly Value[],
) => ArrayLike<number>;

export interface DependencePoint {
  /** Mean prediction of the rows, one an output. */
  readonly mean: readonly number[];
  /** The quantiles .1 and .9 of the rows' own changes about their own means, added to the mean of all; one an output. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** Standard error of `mean` about the mean over all values, by how the rows differ; one an output. */
  readonly error: readonly number[];
}

/** Row-major, edges × outputs. */
export interface AccumulatedEffects {
  /** Their mean over the rows, taken in the middle of their intervals, is 0. */
  readonly effects: Float64Array;
  /** Standard error of each, by how the moves of the rows of each interval differ. */
  readonly errors: Float64Array;
}

const SPREAD: readonly [low: number, high: number] = [0.1, 0.9];

/**
 * @param rows that are predicted with each of the values; at least one
 * @param weights of the values, by which a row's own mean is taken; with a positive sum
 */
export function partialDependence<Value>(
  rows: readonly number[],
  values: readonly Value[],
  {
    weights,
    outputs,
    predict,
  }: {
    readonly weights: readonly number[];
    readonly outputs: number;
    readonly predict: PredictWith<Value>;
  },
): DependencePoint[] {
  const count = rows.length;
  const predicted = predict(
    values.flatMap(() => rows),
    values.flatMap((value) => rows.map(() => value)),
  );
  const at = (place: number, row: number, output: number): number =>
    predicted[(place * count + row) * outputs + output];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const own = Array.from({ length: outputs }, (_, output) =>
    Float64Array.from(
      rows,
      (_, row) => weights.reduce((sum, weight, k) => sum + weight * at(k, row, output), 0) / total,
    ),
  );
  const middle = own.map((means) => means.reduce((sum, mean) => sum + mean, 0) / count);
  return values.map((_, place) => {
    const points = middle.map((all, output) => {
      const changes = Float64Array.from(
        rows,
        (_, row) => at(place, row, output) - own[output][row],
      );
      const change = changes.reduce((sum, each) => sum + each, 0) / count;
      const squares = changes.reduce((sum, each) => sum + (each - change) ** 2, 0);
      changes.sort();
      return {
        mean: all + change,
        low: all + quantile(changes, SPREAD[0]),
        high: all + quantile(changes, SPREAD[1]),
        error: Math.sqrt(squares / Math.max(1, count - 1) / count),
      };
    });
    return {
      mean: points.map(({ mean }) => mean),
      low: points.map(({ low }) => low),
      high: points.map(({ high }) => high),
      error: points.map(({ error }) => error),
    };
  });
}

/**
 * @param rows with their values of the column, all of them from the first to the last edge
 * @param edges ascending, at least two
 */
export function accumulatedEffects(
  rows: readonly { readonly row: number; readonly value: number }[],
  edges: readonly number[],
  { outputs, predict }: { readonly outputs: number; readonly predict: PredictWith<number> },
): AccumulatedEffects {
  const intervals = rows.map(({ value }) => intervalOf(edges, value));
  const ids = rows.map(({ row }) => row);
  const predicted = predict(
    [...ids, ...ids],
    [...intervals.map((k) => edges[k]), ...intervals.map((k) => edges[k + 1])],
  );
  const effects = new Float64Array(edges.length * outputs);
  const errors = new Float64Array(edges.length * outputs);
  for (let output = 0; output < outputs; output++) {
    const moves = edges.slice(1).map((): number[] => []);
    for (const [place, interval] of intervals.entries()) {
      const at = place * outputs + output;
      moves[interval].push(predicted[rows.length * outputs + at] - predicted[at]);
    }
    const steps = moves.map(meanAndError);
    const count = Math.max(1, rows.length);
    let [before, mean] = [0, 0];
    for (const [k, step] of steps.entries()) {
      mean += (moves[k].length * (before + step.mean / 2)) / count;
      before += step.mean;
      effects[(k + 1) * outputs + output] = before;
    }
    // The part of the rows beyond each interval, half of its own among them: by which its step moves the mean.
    let beyond = 1;
    const shares = moves.map(({ length }) => {
      const share = beyond - length / count / 2;
      beyond -= length / count;
      return share;
    });
    for (let edge = 0; edge < edges.length; edge++) {
      effects[edge * outputs + output] -= mean;
      const variance = steps.reduce(
        (sum, { error }, k) => sum + (((k < edge ? 1 : 0) - shares[k]) * error) ** 2,
        0,
      );
      errors[edge * outputs + output] = Math.sqrt(variance);
    }
  }
  return { effects, errors };
}

/** Of no moves: none. The error of one alone is its size. */
function meanAndError(moves: readonly number[]): { readonly mean: number; readonly error: number } {
  const count = moves.length;
  if (count === 0) return { mean: 0, error: 0 };
  const mean = moves.reduce((sum, move) => sum + move, 0) / count;
  if (count === 1) return { mean, error: Math.abs(mean) };
  const squares = moves.reduce((sum, move) => sum + (move - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (count - 1) / count) };
}

/** The interval (edges[k], edges[k + 1]] that a value lies in; the first is closed. */
function intervalOf(edges: readonly number[], value: number): number {
  return lowerBound(edges, value, 1, edges.length - 1) - 1;
}
