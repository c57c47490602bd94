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
