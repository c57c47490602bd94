/** What kind of value a stretch of text is, when nobody says: the surest kind that is most of it. */

import { read } from "../values/kinds.ts";
import { recognise } from "../values/recognise.ts";
import { withoutTimes } from "../values/time-of-day.ts";
import type { Conventions, TypedValue, ValueKind } from "../values/value.ts";

/** Share of a text's letters and digits that a value must be for the text to be that value. */
const MOST_OF_IT = 0.6;

/** Capitals alone make no name of a text: it may be any word. */
const SURE_NAME = 0.6;
const NAMES: ReadonlySet<ValueKind> = new Set(["organization", "person", "place"]);

/** `L-9701`: letters that a mark joins to a number make a code of it. */
const CODE = /^\s*\p{Lu}{1,4}[-/]\d[\p{L}\p{N}/-]*\s*$/u;

/** Capitals that are no unit before a number of digits alone. */
const SERIES = /^\s*(?!NO\b|NR\b)\p{Lu}{2,3} \d{2,5}\s*$/u;

/** `131/60`, `147/63 mmHg`: two measures in one, of which neither is the value. */
const TWOFOLD = /^\s*\d{2,3}\s?\/\s?\d{2,3}(?:\s*mm\s?Hg)?[.,]?\s*$/iu;

/** Longer texts are passages. */
const LONGEST = 200;

/** Null where the text is a passage or holds neither letter nor digit. Offsets are of the text. */
export function statedValue(text: string, conventions: Conventions): TypedValue | null {
  if (text.length > LONGEST || !/[\p{L}\p{N}]/u.test(text)) return null;
  if (TWOFOLD.test(text)) return read("identifier", text, conventions);
  const whole = substance(text);
  let best: TypedValue | null = null;
  for (const value of recognise(text, conventions)) {
    if (substance(text.slice(value.start, value.end)) < MOST_OF_IT * whole) continue;
    if (NAMES.has(value.kind) && value.certainty < SURE_NAME) continue;
    if (best === null || value.certainty > best.certainty) best = value;
  }
  if (best?.kind === "number" && CODE.test(text)) return read("identifier", text, conventions);
  // `LX 060`: no number of anything.
  if (best?.kind === "number" && SERIES.test(text)) return read("text", text, conventions);
  return best ?? read("text", text, conventions);
}

/** Beside a date, the time takes nothing from it. */
function substance(text: string): number {
  return withoutTimes(text).replace(/[^\p{L}\p{N}]/gu, "").length;
}
