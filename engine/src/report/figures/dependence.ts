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
      const mean = all + changes.reduce((sum, change) => sum + change, 0) / count;
      changes.sort();
      return {
        mean,
        low: all + quantile(changes, SPREAD[0]),
        high: all + quantile(changes, SPREAD[1]),
      };
    });
    return {
      mean: points.map(({ mean }) => mean),
      low: points.map(({ low }) => low),
      high: points.map(({ high }) => high),
    };
  });
}

/**
 * @param rows with their values of the column, all of them from the first to the last edge
 * @param edges ascending, at least two
 * @returns one an edge and output, row-major; the mean over the rows, taken in the middle of their intervals, is 0
 */
export function accumulatedEffects(
  rows: readonly { readonly row: number; readonly value: number }[],
  edges: readonly number[],
  { outputs, predict }: { readonly outputs: number; readonly predict: PredictWith<number> },
): Float64Array {
  const intervals = rows.map(({ value }) => intervalOf(edges, value));
  const ids = rows.map(({ row }) => row);
  const predicted = predict(
    [...ids, ...ids],
    [...intervals.map((k) => edges[k]), ...intervals.map((k) => edges[k + 1])],
  );
  const counts = new Float64Array(edges.length - 1);
  const sums = new Float64Array(counts.length * outputs);
  for (const [place, interval] of intervals.entries()) {
    counts[interval]++;
    for (let output = 0; output < outputs; output++) {
      sums[interval * outputs + output] +=
        predicted[(rows.length + place) * outputs + output] - predicted[place * outputs + output];
    }
  }
  const effects = new Float64Array(edges.length * outputs);
  for (let output = 0; output < outputs; output++) {
    let mean = 0;
    for (const [interval, count] of counts.entries()) {
      const before = effects[interval * outputs + output];
      const step = count === 0 ? 0 : sums[interval * outputs + output] / count;
      effects[(interval + 1) * outputs + output] = before + step;
      mean += (count * (before + step / 2)) / Math.max(1, rows.length);
    }
    for (let edge = 0; edge < edges.length; edge++) effects[edge * outputs + output] -= mean;
  }
  return effects;
}

/** The interval (edges[k], edges[k + 1]] that a value lies in; the first is closed. */
function intervalOf(edges: readonly number[], value: number): number {
  let [low, high] = [1, edges.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
