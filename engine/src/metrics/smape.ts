import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * Symmetric mean absolute percentage error, 0 to 200: |y − ŷ| over the mean of |y| and |ŷ|, in per
 * cent, as the M competitions have it; 0 where both are 0 (Makridakis & Hibon 2000, §2.3).
 */
export const smape: Metric = {
  name: "smape",
  aliases: ["symmetric_mean_absolute_percentage_error"],
  direction: "minimize",
  needs: "value",
  domain: {
    includes: (label) => label !== 0,
    needs: "other than 0",
    outside: "0",
    meaning: "smape is 200 there for every forecast but 0 itself, however near it is",
  },
  score: (rows) =>
    weightedMean(rows, (i) => {
      const error = Math.abs(rows.predictions[i] - rows.target[i]);
      return error === 0
        ? 0
        : (200 * error) / (Math.abs(rows.predictions[i]) + Math.abs(rows.target[i]));
    }),
};
