/** A period that is written as its first and its last day: `01.10.2021 - 30.09.2022`, `du 1er au 31 mai 2023`. */

import { recognise } from "./recognise.ts";
import { withoutTimes } from "./time-of-day.ts";
import type { Conventions, TypedValue } from "./value.ts";

export interface DayRange {
  readonly first: TypedValue;
  readonly last: TypedValue;
}

/** Longer texts are passages. */
const LONGEST = 80;
const TO =
  /^\s*(?:-|–|—|to|until|through|thru|and|bis(?: zum)?|und|au|à|et|al|a|e|y|hasta(?: el)?|tot(?: en met)?|t\/m|en|do|até|ao)\s*$/iu;
const OPENS = "from|vom?|von|du|de|del|dal|desde|van|od";
const FROM = new RegExp(`^\\s*(?:${OPENS}|between|desde el)?(?:\\s+the)?\\s*$`, "iu");
/** `Periodo dal`: what opens a range behind a label, and is none of it. */
const OPENS_BEHIND = new RegExp(`\\s+(?:${OPENS})$`, "iu");
const REST = /^[\s.;,)]*$/u;

/** A label without the word that opens its range. */
export const withoutOpening = (label: string): string => label.replace(OPENS_BEHIND, "");

/** Null where the text is anything but two days, the first of them before the other. Offsets are of the text. */
export function dayRange(text: string, conventions: Conventions): DayRange | null {
  if (text.length > LONGEST || (text.match(/\p{N}/gu)?.length ?? 0) < 4) return null;
  const days = recognise(text, conventions, ["date"]);
  const [first, last] = days;
  if (days.length !== 2 || first === undefined || last === undefined) return null;
  const [before, between, behind] = [
    text.slice(0, first.start),
    text.slice(first.end, last.start),
    text.slice(last.end),
  ].map(withoutTimes);
  if (!FROM.test(before!) || !TO.test(between!) || !REST.test(behind!)) return null;
  return String(first.normal) < String(last.normal) ? { first, last } : null;
}
