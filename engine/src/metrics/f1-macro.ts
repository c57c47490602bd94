import { confusionMatrix } from "./confusion-matrix.ts";
import { f1OfClass } from "./f1.ts";
import type { Metric } from "./metric.ts";

/** Mean F1 of the classes that are true or predicted in at least one row. */
export const f1Macro: Metric = {
  name: "f1_macro",
  aliases: ["macro_f1"],
  direction: "maximize",
  needs: "label",
  score(rows) {
    const matrix = confusionMatrix(rows);
    if (matrix === null) return Number.NaN;
    let sum = 0;
    let present = 0;
    for (let k = 0; k < matrix.classes; k++) {
      if (matrix.trueTotals[k] + matrix.predictedTotals[k] === 0) continue;
      sum += f1OfClass(matrix, k);
      present++;
    }
    return sum / present;
  },
};
