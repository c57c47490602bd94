import type { ScoredRows } from "./metric.ts";

/** Scores of one class against all others: `positive[i]` is 1 where row i is of the class. */
export interface BinaryScores {
  readonly positive: Uint8Array;
  readonly scores: Float64Array;
  readonly weights: Float64Array | null;
}

export function binaryScores(rows: ScoredRows, classIndex: number): BinaryScores {
  const { target, predictions, outputs, weights } = rows;
  const column = outputs === 1 ? 0 : classIndex;
  const positive = new Uint8Array(target.length);
  const scores = outputs === 1 ? predictions : new Float64Array(target.length);
  for (let i = 0; i < target.length; i++) {
    positive[i] = target[i] === classIndex ? 1 : 0;
    if (outputs > 1) scores[i] = predictions[i * outputs + column];
  }
  return { positive, scores, weights };
}

/**
 * A two-class metric of the second class, or the unweighted mean over all classes of one class
 * against the rest. Classes for which the metric is undefined (absent from the rows, or the only
 * one) are left out of the mean; NaN where none remains.
 */
export function macroOneVsRest(rows: ScoredRows, score: (binary: BinaryScores) => number): number {
  if (rows.predictions.some(Number.isNaN)) return Number.NaN;
  if (rows.outputs === 1) return score(binaryScores(rows, 1));
  let total = 0;
  let defined = 0;
  for (let k = 0; k < rows.outputs; k++) {
    const value = score(binaryScores(rows, k));
    if (Number.isNaN(value)) continue;
    total += value;
    defined++;
  }
  return total / defined;
}
