import { confusionMatrix } from "./confusion-matrix.ts";
import type { Metric } from "./metric.ts";

/**
 * Matthews correlation between true and predicted classes, in [−1, 1]; 0 where only one class is
 * true or predicted. Multiclass after Gorodkin, "Comparing two K-category assignments by a
 * K-category correlation coefficient", Comput. Biol. Chem. 28 (2004), eq. 8.
 */
export const mcc: Metric = {
  name: "mcc",
  aliases: ["matthews_corrcoef", "matthews_correlation_coefficient"],
  direction: "maximize",
  needs: "label",
  score(rows) {
    const matrix = confusionMatrix(rows);
    if (matrix === null || matrix.total === 0) return Number.NaN;
    const { classes, cells, trueTotals, predictedTotals, total } = matrix;
    let correct = 0;
    let agreement = 0;
    let trueSquares = 0;
    let predictedSquares = 0;
    for (let k = 0; k < classes; k++) {
      correct += cells[k * classes + k];
      agreement += trueTotals[k] * predictedTotals[k];
      trueSquares += trueTotals[k] ** 2;
      predictedSquares += predictedTotals[k] ** 2;
    }
    const spread = (total ** 2 - trueSquares) * (total ** 2 - predictedSquares);
    return spread <= 0 ? 0 : (correct * total - agreement) / Math.sqrt(spread);
  },
};
