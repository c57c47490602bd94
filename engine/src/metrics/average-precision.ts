import { CompensatedSum } from "./compensated-sum.ts";
import type { Metric } from "./metric.ts";
import { macroOneVsRest } from "./one-vs-rest.ts";
import { eachThreshold } from "./score-thresholds.ts";
import { whyNoPositive } from "./undefined-labels.ts";

/**
 * Average precision: the mean of the precisions at each distinct score, weighted by the gain in
 * recall there (no interpolation). More than two classes: macro mean of one against the rest.
 */
export const averagePrecision: Metric = {
  name: "average_precision",
  aliases: ["average_precision_score", "pr_auc", "prauc", "auprc", "aucpr"],
  direction: "maximize",
  needs: "probability",
  ofPositiveClass: true,
  whyUndefined: whyNoPositive,
  score: (rows) =>
    macroOneVsRest(rows, (binary) => {
      const sum = new CompensatedSum();
      let lastTrue = 0;
      eachThreshold(binary, (truePositives, falsePositives) => {
        if (truePositives > lastTrue) {
          const precision = truePositives / (truePositives + falsePositives);
          sum.add((truePositives - lastTrue) * precision);
        }
        lastTrue = truePositives;
      });
      return lastTrue > 0 ? sum.value / lastTrue : Number.NaN;
    }),
};
