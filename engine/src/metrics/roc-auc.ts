import { CompensatedSum } from "./compensated-sum.ts";
import type { Metric } from "./metric.ts";
import { macroOneVsRest } from "./one-vs-rest.ts";
import { eachThreshold } from "./score-thresholds.ts";
import { whyOneClass } from "./undefined-labels.ts";

/**
 * Area under the ROC curve: the chance that a row of the class scores above a row of another one,
 * ties counting half. More than two classes: macro mean of one against the rest.
 */
export const rocAuc: Metric = {
  name: "roc_auc",
  aliases: ["auc", "auroc", "rocauc", "roc_auc_score", "roc_auc_ovr", "roc_auc_ovr_macro"],
  direction: "maximize",
  needs: "probability",
  whyUndefined: whyOneClass,
  score: (rows) =>
    macroOneVsRest(rows, (binary) => {
      const area = new CompensatedSum();
      let lastTrue = 0;
      let lastFalse = 0;
      eachThreshold(binary, (truePositives, falsePositives) => {
        area.add(((falsePositives - lastFalse) * (truePositives + lastTrue)) / 2);
        lastTrue = truePositives;
        lastFalse = falsePositives;
      });
      return lastTrue > 0 && lastFalse > 0 ? area.value / lastTrue / lastFalse : Number.NaN;
    }),
};
