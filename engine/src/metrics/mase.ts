import { type Metric, seriesOf } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * Mean absolute scaled error: errors over those of the seasonal naive method within the series' own
 * past (Hyndman & Koehler, "Another look at measures of forecast accuracy", 2006, §3). Series count by
 * their rows.
 */
export const mase: Metric = {
  name: "mase",
  aliases: ["mean_absolute_scaled_error"],
  direction: "minimize",
  needs: "value",
  score(rows) {
    const { scale } = seriesOf(rows, "mase");
    return weightedMean(rows, (i) => Math.abs(rows.predictions[i] - rows.target[i]) / scale[i]);
  },
};
