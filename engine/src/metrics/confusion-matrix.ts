import { CompensatedSum } from "./compensated-sum.ts";
import type { ScoredRows } from "./metric.ts";

/** Weights of rows by true class and by the class that the prediction implies. */
export interface ConfusionMatrix {
  readonly classes: number;
  /** Row-major, true × predicted. */
  readonly cells: Float64Array;
  /** Sums of the rows: how much there is of each class. */
  readonly trueTotals: Float64Array;
  /** Sums of the columns. */
  readonly predictedTotals: Float64Array;
  readonly total: number;
}

/**
 * The class a prediction implies: with one output the second class where its probability is above
 * one half, else the most probable class, the first of equals. NaN where a probability is.
 */
function impliedClass(rows: ScoredRows, row: number): number {
  const { predictions, outputs } = rows;
  if (outputs === 1) {
    const probability = predictions[row];
    return Number.isNaN(probability) ? probability : probability > 0.5 ? 1 : 0;
  }
  let best = 0;
  for (let k = 0; k < outputs; k++) {
    const probability = predictions[row * outputs + k];
    if (Number.isNaN(probability)) return probability;
    if (probability > predictions[row * outputs + best]) best = k;
  }
  return best;
}

/** Null where a prediction is NaN: then no label metric is defined. */
export function confusionMatrix(rows: ScoredRows): ConfusionMatrix | null {
  const { target, weights, outputs } = rows;
  const classes = outputs === 1 ? 2 : outputs;
  const sums = Array.from({ length: classes * classes }, () => new CompensatedSum());
  for (let i = 0; i < target.length; i++) {
    const predicted = impliedClass(rows, i);
    if (Number.isNaN(predicted)) return null;
    sums[target[i] * classes + predicted].add(weights === null ? 1 : weights[i]);
  }
  const cells = Float64Array.from(sums, (sum) => sum.value);
  const trueTotals = new Float64Array(classes);
  const predictedTotals = new Float64Array(classes);
  let total = 0;
  for (let i = 0; i < classes; i++) {
    for (let j = 0; j < classes; j++) {
      const cell = cells[i * classes + j];
      trueTotals[i] += cell;
      predictedTotals[j] += cell;
      total += cell;
    }
  }
  return { classes, cells, trueTotals, predictedTotals, total };
}
