import { type ConfusionMatrix, confusionMatrix } from "./confusion-matrix.ts";
import type { Metric } from "./metric.ts";

/** Harmonic mean of precision and recall of one class; 0 where the class is never found. */
export function f1OfClass(matrix: ConfusionMatrix, classIndex: number): number {
  const found = matrix.cells[classIndex * matrix.classes + classIndex];
  const total = matrix.trueTotals[classIndex] + matrix.predictedTotals[classIndex];
  return total === 0 ? 0 : (2 * found) / total;
}

/** F1 of the second (positive) class. */
export const f1: Metric = {
  name: "f1",
  aliases: ["f1_score", "f1_binary"],
  direction: "maximize",
  needs: "label",
  ofPositiveClass: true,
  score(rows) {
    const matrix = confusionMatrix(rows);
    return matrix === null || matrix.total === 0 ? Number.NaN : f1OfClass(matrix, 1);
  },
};
