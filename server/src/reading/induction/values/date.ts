/**
 * Dates as documents write them, in digits and with the names of months of several languages.
 * Day and month by the documents' convention where both are possible; days that never were are none;
 * never by a clock. A range gives its two ends.
 */

import { fullYear, isoDate, isoMonth } from "./calendar.ts";
import { digitRanges } from "./date-ranges.ts";
import { withAsciiDigits } from "./digits.ts";
import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { namedDates } from "./named-dates.ts";
import { readByFinding } from "./pointed-at.ts";
import type { Conventions, TypedValue } from "./value.ts";

const NOT_AFTER = "(?<![\\p{L}\\d]|\\d[-/.,:])";
/** A time may follow at once, as in 2018-12-25T08:13. */
const NO_LETTER_BEFORE = "(?!\\p{L}|\\d|[-/.]\\d)";

const DIGITS_YEAR_LAST =
  /(?<![\p{L}\d]|\d[/.,:])(\d{1,2})(?: ?([-/.]) ?(\d{1,2}) ?\2 ?(\d{4})|([-/.])(\d{1,2})\5('?)(\d{2})(?!\p{L}))(?!\d|[/.]\d|\2\d|\5\d)/gu;
const DIGITS_YEAR_FIRST = new RegExp(
  `${NOT_AFTER}(\\d{4})( ?[-/.] ?)(\\d{1,2})\\2(\\d{1,2})(?:(?=T\\d)|${NO_LETTER_BEFORE})`,
  "gu",
);
/** O for 0 and l or I for 1, where everything else is a date's shape. */
const MISREAD =
  /(?<![\p{L}\d]|\d[-/.,:])([\dOoIl]{1,2})([-/])([\dOoIl]{1,2})\2([12][\dOoIl]{3}|[\dOoIl]{2})(?![\p{L}\d]|[-/.]\d)/gu;
const CJK = /(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日/gu;

const MONTH_IN_DIGITS = new RegExp(
  `${NOT_AFTER}(?<!\\p{L}[-/.])(?:(0?[1-9]|1[0-2])([-/.])(\\d{4})|(\\d{4})([-/])(0[1-9]|1[0-2]))${NO_LETTER_BEFORE}`,
  "gu",
);

type Reading = { readonly normal: string | null; readonly certainty: number };

const NO_DATE: Reading = { normal: null, certainty: 0 };

function find(text: string, conventions: Conventions): TypedValue[] {
  const found: TypedValue[] = [];
  const add = (start: number, end: number, { normal, certainty }: Reading): void => {
    if (normal !== null) found.push(typedValue("date", start, end, normal, certainty));
  };
  const each = (pattern: RegExp, read: (match: RegExpExecArray) => Reading): void => {
    for (const match of text.matchAll(pattern)) {
      add(match.index, match.index + match[0].length, read(match));
    }
  };
  if (/\d/.test(text)) {
    each(DIGITS_YEAR_LAST, (match) =>
      // 01.05.14-31.05.14 is a range, 3-01-05-14 a code.
      (match[2] ?? match[5]) === "-" &&
      /\d-$/.test(text.slice(Math.max(0, match.index - 2), match.index))
        ? NO_DATE
        : yearLast(match, conventions),
    );
    each(DIGITS_YEAR_FIRST, ([, year, , month, day]) => ({
      normal: isoDate(Number(year), Number(month), Number(day)),
      certainty: 0.95,
    }));
    each(MISREAD, (match) => misread(match, conventions));
    each(CJK, ([, year, month, day]) => ({
      normal: isoDate(Number(year), Number(month), Number(day)),
      certainty: 0.95,
    }));
    each(MONTH_IN_DIGITS, ([, month, , year, yearBefore, , monthAfter]) => ({
      normal: isoMonth(nearYear(year ?? yearBefore!), Number(month ?? monthAfter)),
      certainty: 0.5,
    }));
  }
  for (const { start, end, normal } of digitRanges(text, conventions.dayFirst)) {
    add(start, end, { normal, certainty: 0.97 });
  }
  for (const { start, end, normal, certainty } of namedDates(text)) {
    add(start, end, { normal, certainty });
  }
  return withoutOverlaps(found);
}

/** Of a month in digits alone: 05/2018 is one, 03/2093 a code. 0 where it is none. */
function nearYear(written: string): number {
  const year = Number(written);
  return year >= 1950 && year <= 2068 ? year : 0;
}

function yearLast(match: readonly string[], conventions: Conventions): Reading {
  const [whole, first, , second, year, mark, otherSecond, apostrophe, short] = match;
  if (year !== undefined) {
    const certainty = /\s/.test(whole!) ? 0.85 : 0.95;
    return { normal: ordered(first!, second!, year, conventions), certainty };
  }
  // 10.1.12 is as often a section's number as a day.
  const isShaky = mark === "." && (first!.length < 2 || otherSecond!.length < 2);
  const certainty = apostrophe !== "" ? 0.95 : isShaky ? 0.4 : 0.8;
  return { normal: ordered(first!, otherSecond!, short!, conventions), certainty };
}

/** Day and month in the order that is possible, else in the documents'. */
function ordered(first: string, second: string, year: string, { dayFirst }: Conventions) {
  const [a, b] = [Number(first), Number(second)];
  if (year.length === 2 && a > 31) return isoDate(fullYear(first), b, Number(year));
  const dayIsFirst = a > 12 || (b <= 12 && dayFirst);
  return dayIsFirst ? isoDate(fullYear(year), b, a) : isoDate(fullYear(year), a, b);
}

function misread(match: readonly string[], conventions: Conventions): Reading {
  const [whole, first, , second, year] = match;
  const letters = whole!.replace(/[^OoIl]/g, "").length;
  const digits = whole!.replace(/\D/g, "").length;
  if (letters === 0 || letters > 2 || digits < 4) return NO_DATE;
  const read = (part: string) => part.replace(/[Oo]/g, "0").replace(/[Il]/g, "1");
  return { normal: ordered(read(first!), read(second!), read(year!), conventions), certainty: 0.7 };
}

const EITHER_ORDER = /(?<![\d/-])(\d{1,2}) ?([-/]) ?(\d{1,2}) ?\2 ?'?(?:\d{4}|\d{2})(?!\d)/g;

/** Whether a date as it is written has two readings, of which nothing that the documents show is one. */
export function isOrderOpen(written: string, { isOrderShown }: Conventions): boolean {
  if (isOrderShown !== false) return false;
  return [...withAsciiDigits(written).matchAll(EITHER_ORDER)].some(([, first, , second]) => {
    const [a, b] = [Number(first), Number(second)];
    return a !== b && a >= 1 && a <= 12 && b >= 1 && b <= 12;
  });
}

const COMPACT = /^\D{0,40}?(\d{4})(\d{2})(\d{2})(?!\d)/;
const SPREAD = /(?<!\d)(\d{1,2})\s{1,3}(\d{1,2})\s{1,3}(\d{4})(?!\d)/;

export const DATE: Kind = {
  find,
  read(text, conventions) {
    const found = readByFinding(find, text, conventions);
    if (found !== null) return found;
    const compact = COMPACT.exec(text);
    if (compact !== null) {
      const [whole, year, month, day] = compact;
      const normal = isoDate(Number(year), Number(month), Number(day));
      const end = compact.index + whole.length;
      if (normal !== null) return typedValue("date", end - 8, end, normal, 0.6);
    }
    const spread = SPREAD.exec(text);
    if (spread === null) return null;
    const normal = ordered(spread[1]!, spread[2]!, spread[3]!, conventions);
    const end = spread.index + spread[0].length;
    return normal === null ? null : typedValue("date", spread.index, end, normal, 0.5);
  },
};
