import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/** Mean absolute error. */
export const mae: Metric = {
  name: "mae",
  direction: "minimize",
  needs: "value",
  score: (rows) => weightedMean(rows, (i) => Math.abs(rows.predictions[i] - rows.target[i])),
};
