/**
 * The two ends of ranges whose first end leaves out what the second says: January 29-30, 2013;
 * 1er au 31 juillet 2015; 01/07 - 31/07/2015. The second end is written out, so it is found as any
 * date is; here is the first.
 */

import { fullYear, isoDate } from "./calendar.ts";
import { MONTH_WORD, monthNumber } from "./month-names.ts";

const TO =
  "[ \\n]{0,2}(?:-|–|—|to|until|through|thru|and|bis|au|à|tot|t/m|al|a|hasta|do|até|und|et|en)[ \\n]{0,2}";
const DAY = "(\\d{1,2})(?:er|st|nd|rd|th|\\.|º)?";
const LAST = "(?![\\p{L}\\d]|[-/.]\\d)";

/** January 29-30, 2013 */
const DAYS_AFTER_MONTH = new RegExp(
  `(?<!\\p{L})(${MONTH_WORD}[ ]{1,2}${DAY})${TO}(${DAY}[ ]?,[ \\n]{1,2}(\\d{4}))${LAST}`,
  "giu",
);
/** 1er au 31 juillet 2015, 1 to 5 May 2014 */
const DAYS_BEFORE_MONTH = new RegExp(
  `(?<![\\p{L}\\d]|\\d[-/.,:])(${DAY})${TO}(${DAY}[ ]{1,2}${MONTH_WORD}[ ,]{1,2}(\\d{4}))${LAST}`,
  "giu",
);
/** January 1 to March 31, 2016 */
const MONTHS_WITH_DAYS = new RegExp(
  `(?<!\\p{L})(${MONTH_WORD}[ ]{1,2}${DAY})${TO}(${MONTH_WORD}[ ]{1,2}${DAY},?[ \\n]{1,2}(\\d{4}))${LAST}`,
  "giu",
);
/** 01/07 - 31/07/2015 */
const DIGITS = new RegExp(
  `(?<![\\p{L}\\d]|\\d[-/.,:])((\\d{1,2})([/.])(\\d{1,2})\\.?)${TO}(\\d{1,2}\\3\\d{1,2}\\3(\\d{4}|\\d{2}))${LAST}`,
  "giu",
);

export interface RangeEnd {
  readonly start: number;
  readonly end: number;
  readonly normal: string;
}

/** Of ranges with months' names: first ends, and second ones that alone would be no date. */
export function namedRanges(text: string): RangeEnd[] {
  const ends: RangeEnd[] = [];
  const add = (start: number, written: string, normal: string | null): void => {
    if (normal !== null) ends.push({ start, end: start + written.length, normal });
  };
  const of = (year: string, month: string, day: string): string | null =>
    isoDate(fullYear(year), monthNumber(month) ?? 0, Number(day));
  for (const match of text.matchAll(DAYS_AFTER_MONTH)) {
    const [whole, first, month, from, second, to, year] = match;
    const [start, end] = [of(year!, month!, from!), of(year!, month!, to!)];
    if (start === null || end === null) continue;
    add(match.index, first!, start);
    add(match.index + whole.length - second!.length, second!, end);
  }
  for (const match of text.matchAll(DAYS_BEFORE_MONTH)) {
    const [, first, day, , , month, year] = match;
    add(match.index, first!, of(year!, month!, day!));
  }
  for (const match of text.matchAll(MONTHS_WITH_DAYS)) {
    const [, first, month, day, , otherMonth, , year] = match;
    if (monthNumber(otherMonth!) !== null) add(match.index, first!, of(year!, month!, day!));
  }
  return ends;
}

/** First ends of ranges in digits. */
export function digitRanges(text: string, dayFirst: boolean): RangeEnd[] {
  const ends: RangeEnd[] = [];
  for (const match of text.matchAll(DIGITS)) {
    const [, first, a, , b, , year] = match;
    const dayIsFirst = Number(a) > 12 || (Number(b) <= 12 && dayFirst);
    const [day, month] = dayIsFirst ? [a, b] : [b, a];
    const normal = isoDate(fullYear(year!), Number(month), Number(day));
    if (normal === null) continue;
    ends.push({ start: match.index, end: match.index + first!.length, normal });
  }
  return ends;
}
