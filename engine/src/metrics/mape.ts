import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * Mean absolute percentage error, as a fraction (0.1 is ten per cent). A target nearer to zero
 * than the machine epsilon is divided by that epsilon, so such rows dominate: prefer `mae` there.
 */
export const mape: Metric = {
  name: "mape",
  aliases: ["mean_absolute_percentage_error", "neg_mean_absolute_percentage_error"],
  direction: "minimize",
  needs: "value",
  domain: {
    includes: (label) => Math.abs(label) >= Number.EPSILON,
    needs: "other than 0",
    outside: "0",
    meaning:
      "mape divides by the label, so that these rows alone make its score, which is huge and says nothing of the others",
  },
  score: (rows) =>
    weightedMean(
      rows,
      (i) =>
        Math.abs(rows.predictions[i] - rows.target[i]) /
        Math.max(Math.abs(rows.target[i]), Number.EPSILON),
    ),
};
