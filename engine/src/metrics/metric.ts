/** What a metric is; each lives in a file of its own. */

import { numbersAt, valuesAt } from "../compute/row-lists.ts";

/** Predictions under one metric. Targets hold the value, or the index of the class. */
export interface ScoredRows {
  /** One number a row. */
  readonly target: Float64Array;
  /** Row-major, rows × outputs (see `outputCount`). */
  readonly predictions: Float64Array;
  readonly outputs: number;
  /** One non-negative number a row, or null for equal weights. */
  readonly weights: Float64Array | null;
  /** Of forecasts; absent for rows that are no steps of series. */
  readonly series?: SeriesRows | null | undefined;
}

/** Of each row, the series that it is a step of. */
export interface SeriesRows {
  /** Steps of the shortest season. Default 1: none. */
  readonly season?: number;
  /** Rows of one number are forecast together: one series from one origin. */
  readonly group: Uint32Array;
  /** The number of its series, and of the window of the backtest that it is in. */
  readonly series: Uint32Array;
  readonly window: Uint32Array;
  /** From its origin on, from 0. */
  readonly step: Uint32Array;
  /**
   * Mean absolute, and mean squared, error of the seasonal naive method within the past of the row's
   * series; positive.
   */
  readonly scale: Float64Array;
  readonly squaredScale: Float64Array;
  /** What intervals around forecasts of the row are measured in (`recentScaleOf`); positive. */
  readonly recentScale: Float64Array;
  /** Between which its value lies, by the past of its series (`boundsBefore`); infinite where that says nothing. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** What the naive method says of the row after seasonal adjustment (`naive2` of the M competitions). */
  readonly reference: Float64Array;
}

export function pickSeries(series: SeriesRows, indices: Uint32Array): SeriesRows {
  const pick = (values: Float64Array): Float64Array => valuesAt(values, indices);
  const places = (values: Uint32Array): Uint32Array => numbersAt(values, indices);
  return {
    ...(series.season === undefined ? {} : { season: series.season }),
    group: places(series.group),
    series: places(series.series),
    window: places(series.window),
    step: places(series.step),
    scale: pick(series.scale),
    squaredScale: pick(series.squaredScale),
    recentScale: pick(series.recentScale),
    least: pick(series.least),
    most: pick(series.most),
    reference: pick(series.reference),
  };
}

/** Row-major values of the rows of these indices. */
export function pickRowsOf(
  values: Float64Array,
  width: number,
  indices: Uint32Array,
): Float64Array {
  if (width === 1) return valuesAt(values, indices);
  const picked = new Float64Array(indices.length * width);
  for (let i = 0; i < indices.length; i++) {
    for (let k = 0; k < width; k++) picked[i * width + k] = values[indices[i] * width + k];
  }
  return picked;
}

export function pickScored(rows: ScoredRows, indices: Uint32Array): ScoredRows {
  const { target, predictions, outputs, weights, series } = rows;
  return {
    target: pickRowsOf(target, 1, indices),
    predictions: pickRowsOf(predictions, outputs, indices),
    outputs,
    weights: weights && pickRowsOf(weights, 1, indices),
    series: series && pickSeries(series, indices),
  };
}

/** @throws RangeError where rows that are no steps of series are scored as such */
export function seriesOf({ series }: LabelsOfRows, metric: string): SeriesRows {
  if (!series) throw new RangeError(`${metric} scores forecasts of series only.`);
  return series;
}

/** What a metric may read of a task. */
export interface ScoredTask {
  readonly kind: string;
  /** Levels of the quantiles that are predicted, ascending; absent where none are. */
  readonly quantiles?: readonly number[] | undefined;
  /** Of forecasts: the share of values that a central interval is to hold. */
  readonly coverage?: number | undefined;
}

/** What is known of rows before anything is predicted of them. */
export type LabelsOfRows = Omit<ScoredRows, "predictions">;

/** The labels that a metric scores as it is meant to, each by itself. */
export interface LabelDomain {
  includes(label: number): boolean;
  /** Of the labels within, for people: `above -1`. */
  readonly needs: string;
  /** Of those without: `-1 or less`. */
  readonly outside: string;
  /** What the score makes of them, as a clause; null: with one of them it is undefined. */
  readonly meaning: string | null;
}

export interface Metric {
  readonly name: string;
  /**
   * What other libraries call it: scikit-learn's scorers, LightGBM's and XGBoost's evaluation metrics,
   * AutoGluon's. A squared error ranks as its root does, and is answered by it.
   */
  readonly aliases: readonly string[];
  readonly direction: "minimize" | "maximize";
  /** Of a figure that is best neither low nor high: the metric that is optimised in its place. */
  readonly optimizedBy?: string;
  /** Which predictions it reads: values, probabilities, or the labels they imply. */
  readonly needs: "value" | "probability" | "label";
  /** Of two classes it scores how well the positive one is found, and not the other. */
  readonly ofPositiveClass?: true;
  /** Of a metric that reads more of a task than its outputs: the metric for that task. */
  readonly ofTask?: (task: ScoredTask) => Metric;
  /** Absent: any label. */
  readonly domain?: LabelDomain;
  /** Why rows of these labels together have no score, whatever is predicted; absent, and null: they have one. */
  readonly whyUndefined?: (rows: LabelsOfRows) => string | null;
  /** NaN where it is undefined (roc_auc of one class); callers say so rather than guess. */
  score(rows: ScoredRows): number;
  /**
   * Of parts of the rows, where their score is not that of the part by itself: each as the whole has it.
   *
   * @param parts indices of rows
   * @param picked the rows of each part, as `pickScored` gives them
   */
  scoreParts?(
    rows: ScoredRows,
    parts: readonly Uint32Array[],
    picked: readonly ScoredRows[],
  ): number[];
  /** Rows that are to be scored together at least; absent: any number will do. */
  readonly leastRows?: number;
}

/** The metric as something to minimise. */
export function toLoss(metric: Metric, score: number): number {
  return metric.direction === "minimize" ? score : -score;
}
