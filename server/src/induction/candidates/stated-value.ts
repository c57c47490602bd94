/** What kind of value a stretch of text is, when nobody says: the surest kind that is most of it. */

import { read } from "../values/read.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, TypedValue } from "../values/value.ts";

/** Share of a text's letters and digits that a value must be for the text to be that value. */
const MOST_OF_IT = 0.6;

/** Longer texts are passages. */
const LONGEST = 200;

/** Null where the text is a passage or holds neither letter nor digit. Offsets are of the text. */
export function statedValue(text: string, conventions: Conventions): TypedValue | null {
  if (text.length > LONGEST || !/[\p{L}\p{N}]/u.test(text)) return null;
  const whole = substance(text);
  let best: TypedValue | null = null;
  for (const value of recognise(text, conventions)) {
    if (substance(text.slice(value.start, value.end)) < MOST_OF_IT * whole) continue;
    if (best === null || value.certainty > best.certainty) best = value;
  }
  return best ?? read("text", text, conventions);
}

function substance(text: string): number {
  return text.replace(/[^\p{L}\p{N}]/gu, "").length;
}
