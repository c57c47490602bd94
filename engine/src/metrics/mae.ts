import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/** Mean absolute error. */
export const mae: Metric = {
  name: "mae",
  aliases: ["mean_absolute_error", "neg_mean_absolute_error", "l1"],
  direction: "minimize",
  needs: "value",
  score: (rows) => weightedMean(rows, (i) => Math.abs(rows.predictions[i] - rows.target[i])),
};
