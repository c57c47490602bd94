/**
 * Enumeration: at most 8 answers, each seen in several documents; else the question is open. Answers
 * that extraction takes for one, `PASSED` and `passed`, are one, in its most frequent spelling.
 */

import type { Answer } from "../extract.ts";
import { labelKey } from "../locators/label-key.ts";
import { counts } from "./mutual-information.ts";

const MOST_VALUES = 8;
/** A value as frequent as one seen in so many documents would have been missed by less than 1 sample in 20. */
const LEAST_SEEN = 3;
/** Of so many answers twice is enough: what was missed is in few documents. */
const MANY = 30;
const LEAST_SEEN_OF_MANY = 2;
const LONGEST_VALUE = 60;

/** The answers, most frequent first; empty where the question stays open. */
export function enumeration(answers: readonly (Answer | null)[]): string[] {
  const values = answers.flatMap((answer) => (answer === null ? [] : [answer.value]));
  if (!values.every((value) => typeof value === "string")) return [];
  const spellings = [...counts(values)].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const byKey = new Map<string, [value: string, seen: number]>();
  for (const [value, seen] of spellings) {
    const key = labelKey(value) || value;
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [value, seen]);
    else same[1] += seen;
  }
  const each = [...byKey.values()].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const least = values.length < MANY ? LEAST_SEEN : LEAST_SEEN_OF_MANY;
  const isClosed =
    each.length >= 2 &&
    each.length <= MOST_VALUES &&
    each.every(([value, n]) => n >= least && value.length <= LONGEST_VALUE);
  return isClosed ? each.map(([value]) => value) : [];
}
