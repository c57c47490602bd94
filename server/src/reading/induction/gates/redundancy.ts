/**
 * Redundancy of two fields: 1 where one is as good as the other. Two measures, the larger counts:
 * how often both give the same value where both are stated; and their adjusted mutual information,
 * where the values repeat often enough for it to mean something.
 */

import { comparingKey } from "../values/same-value.ts";
import { type ObservedField, rounded } from "./gate.ts";
import { adjustedMutualInformation, counts } from "./mutual-information.ts";

export const MOST_REDUNDANCY = 0.9;
/** Documents that both answer, below which a likeness is luck. */
const ENOUGH_PAIRS = 20;
const ENOUGH_OF_MINORITY = 4;
const FEWEST_SAME = 2;

export function redundancy(a: ObservedField, b: ObservedField): number {
  // One kind for both, so that keys of equal values are equal.
  const { kind } = a.proposal;
  const left: string[] = [];
  const right: string[] = [];
  for (const [index, answer] of a.answers.entries()) {
    const other = b.answers[index];
    if (answer === null || other === null || other === undefined) continue;
    left.push(comparingKey(kind, answer.value));
    right.push(comparingKey(kind, other.value));
  }
  return rounded(Math.max(sameness(a, b, left, right), likeness(left, right)));
}

/** The share of equal values; of yes and no it would say nothing, since two values often agree. */
function sameness(
  a: ObservedField,
  b: ObservedField,
  left: readonly string[],
  right: readonly string[],
): number {
  if (a.proposal.kind === "boolean" || b.proposal.kind === "boolean") return 0;
  // A skill tells its fields apart: a few documents in which two coincide do not make them one.
  const areReviewed = a.proposal.weight > 0 && b.proposal.weight > 0;
  if (areReviewed && left.length < ENOUGH_PAIRS) return 0;
  const same = left.filter((value, index) => value === right[index]).length;
  return same < FEWEST_SAME ? 0 : same / left.length;
}

function likeness(left: readonly string[], right: readonly string[]): number {
  if (left.length < ENOUGH_PAIRS || !repeats(left) || !repeats(right)) return 0;
  return Math.max(0, adjustedMutualInformation(left, right));
}

/** Whether values come back: half as many values as answers, and not almost all of them one. */
function repeats(values: readonly string[]): boolean {
  const each = counts(values);
  const most = Math.max(...each.values());
  return each.size <= values.length / 2 && values.length - most >= ENOUGH_OF_MINORITY;
}
