/** How far the predictions of one model are from those of another for the same rows. */

import type { PredictionsAnswer } from "./model-rows.ts";

export interface Comparison {
  /** That both answered. */
  readonly rows: number;
  /** That only one of them answered, such as steps of a longer horizon. */
  readonly unpaired: number;
  /** Rows whose labels, or values, are not the same. */
  readonly differing: number;
  /**
   * Summed over the rows: the absolute difference of values; of classes, the total variation distance of
   * the probabilities, 0 to 1.
   */
  readonly summedDifference: number;
  /** The largest of one row. */
  readonly largestDifference: number;
}

type Prediction = PredictionsAnswer["predictions"][number];

export function comparePredictions(
  given: readonly Prediction[],
  others: readonly Prediction[],
): Comparison {
  const paired = Math.min(given.length, others.length);
  let rows = 0;
  let differing = 0;
  let summedDifference = 0;
  let largestDifference = 0;
  for (let at = 0; at < paired; at++) {
    const [one, other] = [given[at]!, others[at]!];
    if (!sameSubject(one, other)) continue;
    rows++;
    if (answerOf(one) !== answerOf(other)) differing++;
    const difference = differenceOf(one, other);
    summedDifference += difference;
    largestDifference = Math.max(largestDifference, difference);
  }
  const unpaired = Math.max(given.length, others.length) - rows;
  return { rows, unpaired, differing, summedDifference, largestDifference };
}

const answerOf = (prediction: Prediction): string | number =>
  "label" in prediction ? prediction.label : prediction.value;

/** Whether both are of the same sequence, or of the same step of the same series. */
const sameSubject = (one: Prediction, other: Prediction): boolean =>
  subjectOf(one) === subjectOf(other);

function subjectOf(prediction: Prediction): string {
  const { id, series, time } = prediction as { id?: unknown; series?: unknown; time?: unknown };
  return id === undefined && time === undefined ? "" : JSON.stringify([id, series, time]);
}

function differenceOf(one: Prediction, other: Prediction): number {
  if (!("label" in one)) return "label" in other ? 1 : Math.abs(one.value - other.value);
  if (!("label" in other)) return 1;
  let distance = 0;
  for (const name of new Set([
    ...Object.keys(one.probabilities),
    ...Object.keys(other.probabilities),
  ])) {
    distance += Math.abs((one.probabilities[name] ?? 0) - (other.probabilities[name] ?? 0));
  }
  return distance / 2;
}
