/** ROC and precision-recall curves of one class against the rest. */

import type { BinaryScores } from "../../metrics/one-vs-rest.ts";
import { eachThreshold } from "../../metrics/score-thresholds.ts";

export type CurvePoint = readonly [x: number, y: number];

export interface ThresholdCurves {
  /** False-positive rate → true-positive rate, from (0, 0) to (1, 1). */
  readonly roc: readonly CurvePoint[];
  readonly rocAuc: number;
  /** Recall → precision, by ascending recall. */
  readonly precisionRecall: readonly CurvePoint[];
  readonly averagePrecision: number;
  /** Weighted share of the class: the precision of guessing. */
  readonly prevalence: number;
}

/** A point closer than this to the last one kept, on both axes, is not drawn. */
const RESOLUTION = 1 / 150;

/** Null where the rows are all of the class, or none is. Areas are of the whole curve. */
export function thresholdCurves(binary: BinaryScores): ThresholdCurves | null {
  let positives = 0;
  let negatives = 0;
  for (const [row, positive] of binary.positive.entries()) {
    const weight = binary.weights === null ? 1 : binary.weights[row];
    if (positive === 1) positives += weight;
    else negatives += weight;
  }
  if (!(positives > 0) || !(negatives > 0)) return null;
  const roc: CurvePoint[] = [[0, 0]];
  const precisionRecall: CurvePoint[] = [];
  let rocAuc = 0;
  let averagePrecision = 0;
  let last = { fpr: 0, tpr: 0 };
  eachThreshold(binary, (truePositives, falsePositives) => {
    const tpr = truePositives / positives;
    const fpr = falsePositives / negatives;
    const found = truePositives + falsePositives;
    const precision = found > 0 ? truePositives / found : 1;
    rocAuc += ((fpr - last.fpr) * (tpr + last.tpr)) / 2;
    averagePrecision += (tpr - last.tpr) * precision;
    last = { fpr, tpr };
    roc.push([fpr, tpr]);
    precisionRecall.push([tpr, precision]);
  });
  return {
    roc: thinned(roc),
    rocAuc,
    precisionRecall: thinned(precisionRecall),
    averagePrecision,
    prevalence: positives / (positives + negatives),
  };
}

/** The first point, the last, and those between that are far enough from the one before. */
export function thinned(points: readonly CurvePoint[]): CurvePoint[] {
  const kept: CurvePoint[] = [];
  for (const [index, point] of points.entries()) {
    const before = kept.at(-1);
    const far =
      before === undefined ||
      Math.abs(point[0] - before[0]) >= RESOLUTION ||
      Math.abs(point[1] - before[1]) >= RESOLUTION;
    if (far || index === points.length - 1) kept.push(point);
  }
  return kept;
}
