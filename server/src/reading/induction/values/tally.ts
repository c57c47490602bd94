/**
 * A count that a form answers in words or by categories: `none` is 0, `1 Serious, 2 Minor` is 3, and
 * of `1 Fatal, 2 None` those are counted of whom something is said.
 */

import { denies } from "./boolean.ts";
import { typedValue } from "./kind.ts";
import { parseNumeral } from "./numeral.ts";
import { trimmedExtent } from "./text.ts";
import type { TypedValue } from "./value.ts";

const LONGEST = 120;
const PART = /^(\d{1,6})\s+(\p{L}[\p{L} -]{0,30})$/u;
const CERTAINTY = 0.7;

/** Null where the text is neither; a single `3 Minor` is a plain number. */
export function readTally(text: string): TypedValue | null {
  if (text.length > LONGEST) return null;
  const [start, end] = trimmedExtent(text);
  const written = text.slice(start, end);
  if (denies(written)) return typedValue("number", start, end, 0, CERTAINTY);
  const parts = written.split(/\s*[,;]\s*|\s+(?:and|und|et|y|e|en)\s+/u);
  if (parts.length < 2) return null;
  let sum = 0;
  for (const part of parts) {
    const count = PART.exec(part);
    if (count === null) return null;
    if (!denies(part)) sum += parseNumeral(count[1]!, false) ?? 0;
  }
  return typedValue("number", start, end, sum, CERTAINTY);
}
