import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/** Root mean squared error. */
export const rmse: Metric = {
  name: "rmse",
  aliases: [
    "root_mean_squared_error",
    "neg_root_mean_squared_error",
    "mean_squared_error",
    "neg_mean_squared_error",
    "mse",
    "l2",
    "l2_root",
  ],
  direction: "minimize",
  needs: "value",
  score: (rows) =>
    Math.sqrt(weightedMean(rows, (i) => (rows.predictions[i] - rows.target[i]) ** 2)),
};
