import { confusionMatrix } from "./confusion-matrix.ts";
import type { Metric } from "./metric.ts";

/** Mean recall of the classes that occur in the rows: each class counts the same. */
export const balancedAccuracy: Metric = {
  name: "balanced_accuracy",
  aliases: ["balanced_accuracy_score", "bacc"],
  direction: "maximize",
  needs: "label",
  score(rows) {
    const matrix = confusionMatrix(rows);
    if (matrix === null) return Number.NaN;
    let recalls = 0;
    let present = 0;
    for (let k = 0; k < matrix.classes; k++) {
      if (matrix.trueTotals[k] === 0) continue;
      recalls += matrix.cells[k * matrix.classes + k] / matrix.trueTotals[k];
      present++;
    }
    return recalls / present;
  },
};
