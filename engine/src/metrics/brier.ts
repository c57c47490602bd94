import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/**
 * Mean squared distance between the probabilities and the truth. Two classes: of the positive
 * class alone, in [0, 1]; more: summed over the classes, in [0, 2] (Brier's 1950 form).
 */
export const brier: Metric = {
  name: "brier",
  aliases: ["brier_score", "neg_brier_score", "brier_score_loss"],
  direction: "minimize",
  needs: "probability",
  score(rows) {
    const { target, predictions, outputs } = rows;
    if (outputs === 1) return weightedMean(rows, (i) => (predictions[i] - target[i]) ** 2);
    return weightedMean(rows, (i) => {
      let distance = 0;
      for (let k = 0; k < outputs; k++) {
        distance += (predictions[i * outputs + k] - (target[i] === k ? 1 : 0)) ** 2;
      }
      return distance;
    });
  },
};
