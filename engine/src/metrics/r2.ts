import type { Metric } from "./metric.ts";
import { whyAllEqual } from "./undefined-labels.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * Coefficient of determination: 1 − residual variance / target variance, both about the weighted
 * mean. Undefined (NaN) where the target is constant.
 */
export const r2: Metric = {
  name: "r2",
  aliases: ["r2_score", "r_squared", "r^2"],
  direction: "maximize",
  needs: "value",
  whyUndefined: whyAllEqual,
  score(rows) {
    const { target, predictions } = rows;
    const mean = weightedMean(rows, (i) => target[i]);
    const variance = weightedMean(rows, (i) => (target[i] - mean) ** 2);
    if (!(variance > 0)) return Number.NaN;
    return 1 - weightedMean(rows, (i) => (target[i] - predictions[i]) ** 2) / variance;
  },
};
