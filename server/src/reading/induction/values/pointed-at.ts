/**
 * Reading a text that was pointed at: the one value of a kind in it, with what may stand around it:
 * a label, currency words, marks, a time of day.
 */

import type { Find } from "./kind.ts";
import type { Conventions, TypedValue } from "./value.ts";

/** Longer texts are passages, of which only the beginning is read. */
const LONGEST = 2_000;
/** Letters and digits beside a value, above which the text is about something else. */
const MOST_BESIDE = 120;

/** What stands beside a value without taking from it: times, zones, currency words, marks. */
const DEBRIS =
  /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?|\b(?:rm|am|pm|gmt|utc|est|edt|cst|pst|hrs?|uhr|date|dated|total|amount|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/gi;

/** The surest, then the first, of the values in a text that is about little else. */
export function readByFinding(
  find: Find,
  text: string,
  conventions: Conventions,
): TypedValue | null {
  const head = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  let best: TypedValue | null = null;
  for (const value of find(head, conventions)) {
    if (best === null || value.certainty > best.certainty) best = value;
  }
  return best === null ? null : weighedByRest(head, best);
}

/** A value less certain the more else there is beside it; null where that is too much. */
export function weighedByRest(text: string, value: TypedValue): TypedValue | null {
  const beside =
    lettersAndDigits(text.slice(0, value.start)) + lettersAndDigits(text.slice(value.end));
  if (beside > MOST_BESIDE) return null;
  return { ...value, certainty: value.certainty * (1 - (0.5 * beside) / MOST_BESIDE) };
}

function lettersAndDigits(text: string): number {
  return text.replace(DEBRIS, "").replace(/[^\p{L}\p{N}]/gu, "").length;
}
