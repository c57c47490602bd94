import { CompensatedSum } from "./compensated-sum.ts";
import type { Metric } from "./metric.ts";
import { whyAllZero } from "./undefined-labels.ts";

/** Weighted absolute percentage error: Σ |y − ŷ| / Σ |y|; NaN where all values are 0. */
export const wape: Metric = {
  name: "wape",
  aliases: ["weighted_absolute_percentage_error", "nd", "normalized_deviation"],
  direction: "minimize",
  needs: "value",
  whyUndefined: whyAllZero,
  score({ target, predictions, weights }) {
    const errors = new CompensatedSum();
    const values = new CompensatedSum();
    for (let i = 0; i < target.length; i++) {
      const weight = weights === null ? 1 : weights[i];
      if (weight === 0) continue;
      errors.add(weight * Math.abs(predictions[i] - target[i]));
      values.add(weight * Math.abs(target[i]));
    }
    return values.value > 0 ? errors.value / values.value : Number.NaN;
  },
};
