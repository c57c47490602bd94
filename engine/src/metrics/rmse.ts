import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/** Root mean squared error. */
export const rmse: Metric = {
  name: "rmse",
  direction: "minimize",
  needs: "value",
  score: (rows) =>
    Math.sqrt(weightedMean(rows, (i) => (rows.predictions[i] - rows.target[i]) ** 2)),
};
