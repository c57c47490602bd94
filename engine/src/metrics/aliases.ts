/**
 * What other libraries call our metrics: scikit-learn's scorers, LightGBM's and XGBoost's
 * evaluation metrics, AutoGluon's. A squared error ranks as its root does, and is answered by it.
 */

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  rmse: [
    "root_mean_squared_error",
    "neg_root_mean_squared_error",
    "mean_squared_error",
    "neg_mean_squared_error",
    "mse",
    "l2",
    "l2_root",
  ],
  mae: ["mean_absolute_error", "neg_mean_absolute_error", "l1"],
  r2: ["r2_score", "r_squared", "r^2"],
  mape: ["mean_absolute_percentage_error", "neg_mean_absolute_percentage_error"],
  median_absolute_error: ["neg_median_absolute_error", "medae"],
  rmsle: ["root_mean_squared_log_error", "neg_root_mean_squared_log_error"],
  log_loss: [
    "neg_log_loss",
    "logloss",
    "mlogloss",
    "binary_logloss",
    "multi_logloss",
    "cross_entropy",
    "crossentropy",
    "nll",
  ],
  roc_auc: ["auc", "auroc", "rocauc", "roc_auc_score", "roc_auc_ovr", "roc_auc_ovr_macro"],
  average_precision: ["average_precision_score", "pr_auc", "prauc", "auprc", "aucpr"],
  accuracy: ["acc", "accuracy_score"],
  balanced_accuracy: ["balanced_accuracy_score", "bacc"],
  f1: ["f1_score", "f1_binary"],
  f1_macro: ["macro_f1"],
  brier: ["brier_score", "neg_brier_score", "brier_score_loss"],
  mcc: ["matthews_corrcoef", "matthews_correlation_coefficient"],
  coverage_error: [],
  pinball: [
    "mean_pinball_loss",
    "neg_mean_pinball_loss",
    "pinball_loss",
    "quantile",
    "quantile_loss",
  ],
};

const NAME_OF = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) => [
    [name, name] as const,
    ...aliases.map((alias) => [alias, name] as const),
  ]),
);

/**
 * The name that a metric has here: of an alias, in any case, with spaces or hyphens for underscores.
 * A name that nobody knows comes back as it is.
 */
export function metricNameOf(name: string): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return NAME_OF.get(plain) ?? name;
}
