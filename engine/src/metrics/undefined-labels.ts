/** Labels of which a metric makes no score, whatever is predicted: why, as a clause, or null where it makes one. */

import type { LabelsOfRows } from "./metric.ts";

export const whyAllZero = ({ target, weights }: LabelsOfRows): string | null =>
  target.every((label, i) => label === 0 || weights?.[i] === 0) ? "all labels are 0" : null;

export function whyAllEqual(rows: LabelsOfRows): string | null {
  return distinctLabels(rows).size <= 1 ? "all labels are equal" : null;
}

export function whyOneClass(rows: LabelsOfRows): string | null {
  return distinctLabels(rows).size <= 1 ? "all rows are of one class" : null;
}

/** Of two classes. */
export function whyNoPositive(rows: LabelsOfRows): string | null {
  if (rows.outputs > 1) return null;
  return distinctLabels(rows).has(1) ? null : "no row is of the second class";
}

function distinctLabels({ target, weights }: LabelsOfRows): Set<number> {
  return new Set(target.filter((_, i) => weights === null || weights[i] > 0));
}
