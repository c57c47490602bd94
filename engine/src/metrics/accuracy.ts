import { confusionMatrix } from "./confusion-matrix.ts";
import type { Metric } from "./metric.ts";

/** Share of the rows whose most probable class is the true one. */
export const accuracy: Metric = {
  name: "accuracy",
  aliases: ["acc", "accuracy_score"],
  direction: "maximize",
  needs: "label",
  score(rows) {
    const matrix = confusionMatrix(rows);
    if (matrix === null) return Number.NaN;
    let correct = 0;
    for (let k = 0; k < matrix.classes; k++) correct += matrix.cells[k * matrix.classes + k];
    return correct / matrix.total;
  },
};
