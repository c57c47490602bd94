import type { Metric } from "./metric.ts";
import { weightedMean } from "./weighted-mean.ts";

/** Probabilities are kept this far from 0 and 1, so that one certain mistake is not infinite. */
const EPSILON = Number.EPSILON;

function logClipped(probability: number): number {
  return Math.log(Math.min(1 - EPSILON, Math.max(EPSILON, probability)));
}

/** Mean negative natural log of the probability given to the true class. */
export const logLoss: Metric = {
  name: "log_loss",
  aliases: [
    "neg_log_loss",
    "logloss",
    "mlogloss",
    "binary_logloss",
    "multi_logloss",
    "cross_entropy",
    "crossentropy",
    "nll",
  ],
  direction: "minimize",
  needs: "probability",
  score(rows) {
    const { target, predictions, outputs } = rows;
    if (outputs === 1) {
      return weightedMean(rows, (i) =>
        target[i] === 1 ? -logClipped(predictions[i]) : -logClipped(1 - predictions[i]),
      );
    }
    return weightedMean(rows, (i) => -logClipped(predictions[i * outputs + target[i]]));
  },
};
