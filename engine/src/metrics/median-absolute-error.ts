import { ascendingOrder } from "../compute/ascending-order.ts";
import type { Metric } from "./metric.ts";

/**
 * Weighted median of the absolute errors: the error at which half of the weight is reached, or the
 * mean of it and the next where exactly half is.
 */
export const medianAbsoluteError: Metric = {
  name: "median_absolute_error",
  aliases: ["neg_median_absolute_error", "medae"],
  direction: "minimize",
  needs: "value",
  score({ target, predictions, weights }) {
    const errors = new Float64Array(target.length);
    let total = 0;
    for (let i = 0; i < errors.length; i++) {
      errors[i] = Math.abs(predictions[i] - target[i]);
      if (Number.isNaN(errors[i])) return Number.NaN;
      total += weights === null ? 1 : weights[i];
    }
    if (!(total > 0)) return Number.NaN;
    const half = total / 2;
    let reached = 0;
    let median = -1;
    for (const i of ascendingOrder(errors)) {
      const weight = weights === null ? 1 : weights[i];
      if (weight === 0) continue;
      if (median >= 0) return (errors[median] + errors[i]) / 2;
      reached += weight;
      if (reached > half) return errors[i];
      if (reached === half) median = i;
    }
    return errors[median];
  },
};
