import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/** Root mean squared error of ln(1 + value). Undefined (NaN) where a value is −1 or less. */
export const rmsle: Metric = {
  name: "rmsle",
  aliases: ["root_mean_squared_log_error", "neg_root_mean_squared_log_error"],
  direction: "minimize",
  needs: "value",
  domain: {
    includes: (label) => label > -1,
    needs: "above -1",
    outside: "-1 or less",
    meaning: null,
  },
  score(rows) {
    const mean = weightedMean(rows, (i) => {
      const { target, predictions } = rows;
      if (!(target[i] > -1 && predictions[i] > -1)) return Number.NaN;
      return (Math.log1p(predictions[i]) - Math.log1p(target[i])) ** 2;
    });
    return Math.sqrt(mean);
  },
};
