/** What a metric is; each lives in a file of its own. */

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
  /** Rows of one number are forecast together: one series from one origin. */
  readonly group: Uint32Array;
  /**
   * Mean absolute, and mean squared, error of the seasonal naive method within the past of the row's
   * series; positive.
   */
  readonly scale: Float64Array;
  readonly squaredScale: Float64Array;
  /** What the naive method says of the row after seasonal adjustment (`naive2` of the M competitions). */
  readonly reference: Float64Array;
}

export function pickSeries(series: SeriesRows, indices: Uint32Array): SeriesRows {
  const pick = (values: Float64Array): Float64Array =>
    Float64Array.from(indices, (index) => values[index]);
  return {
    group: Uint32Array.from(indices, (index) => series.group[index]),
    scale: pick(series.scale),
    squaredScale: pick(series.squaredScale),
    reference: pick(series.reference),
  };
}

/** @throws RangeError where rows that are no steps of series are scored as such */
export function seriesOf({ series }: ScoredRows, metric: string): SeriesRows {
  if (!series) throw new RangeError(`${metric} scores forecasts of series only.`);
  return series;
}

/** What a metric may read of a task. */
export interface ScoredTask {
  readonly kind: string;
  /** Levels of the quantiles that are predicted, ascending; absent where none are. */
  readonly quantiles?: readonly number[] | undefined;
}

export interface Metric {
  readonly name: string;
  /**
   * What other libraries call it: scikit-learn's scorers, LightGBM's and XGBoost's evaluation metrics,
   * AutoGluon's. A squared error ranks as its root does, and is answered by it.
   */
  readonly aliases: readonly string[];
  readonly direction: "minimize" | "maximize";
  /** Which predictions it reads: values, probabilities, or the labels they imply. */
  readonly needs: "value" | "probability" | "label";
  /** Of a metric that reads more of a task than its outputs: the metric for that task. */
  readonly ofTask?: (task: ScoredTask) => Metric;
  /** NaN where it is undefined (roc_auc of one class); callers say so rather than guess. */
  score(rows: ScoredRows): number;
}

/** The metric as something to minimise. */
export function toLoss(metric: Metric, score: number): number {
  return metric.direction === "minimize" ? score : -score;
}
