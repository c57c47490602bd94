/** Dates with a month's name, in the languages that `month-names.ts` knows. */

import { fullYear, isoDate, isoMonth } from "./calendar.ts";
import { namedRanges } from "./date-ranges.ts";
import { isOtherWord, MONTH_WORD, monthNumber, monthWords, ordinalDay } from "./month-names.ts";

const NOT_AFTER = "(?<![\\p{L}\\d]|\\d[-/.,:])";
const NO_LETTER_BEFORE = "(?!\\p{L}|\\d|[-/.]\\d)";
const DAY = "(\\d{1,2})(?:[ ]?(?:s ?t|n ?d|r ?d|t ?h|er|[.ºª°])(?![\\p{L}\\d]))?";
const YEAR = "('?\\d{4}|'?\\d{2})";
/** Within a date; a gap of two spaces is a justified line's, or, after a comma, the next column. */
const AFTER_DAY = "(?:[ \\n]{0,2}|[ ]?[-/.,][ \\n]?)";
const BEFORE_YEAR = "[ \\n]{0,3}[-/.,]?[ \\n]{0,3}";
const CLOSE = "(?:[ ]?[-/.,][ ]?|[ ]?)";
const OF = "(?:(?:day[ \\n]{1,3}of|of|de|del|di|den|dell')[ \\n]{1,3})?";

/** 25-DEC-18, 7. Mai 2014, this 18th day of April, 2001, 19 de abril de 2014. */
const DAY_FIRST = new RegExp(
  `(?:${NOT_AFTER}|(?<=(?<!\\p{L})(?:of|on|dated)))${DAY}${AFTER_DAY}${OF}${MONTH_WORD}(?:${BEFORE_YEAR}${OF}('?\\d{4})|${CLOSE}('?\\d{2}))${NO_LETTER_BEFORE}`,
  "giu",
);
/** the first day of March, 2005 */
const DAY_IN_WORDS = new RegExp(
  `(?<!\\p{L})((?:twenty|thirty)[- ]\\p{L}{5,7}|\\p{L}{5,11})[ \\n]{1,3}(?:day[ \\n]{1,3})?of[ \\n]{1,3}${MONTH_WORD},?[ \\n]{1,3}(\\d{4})${NO_LETTER_BEFORE}`,
  "giu",
);
/** April 18, 2001; Apr 18th 2001 */
const MONTH_FIRST = new RegExp(
  `(?<![\\p{L}])${MONTH_WORD}[ \\n-]{0,3}(?:the[ \\n])?${DAY}(?:[ \\n]{0,3}[-/.,][ \\n]{0,3}(?=\\d{4})|[-/]|[ ,]{1,2}(?='))${YEAR}${NO_LETTER_BEFORE}|(?<![\\p{L}])${MONTH_WORD}[ \\n]{1,3}${DAY}[ \\n]{1,3}(\\d{4})${NO_LETTER_BEFORE}`,
  "giu",
);
/** 2018-Mar-05, 2018 March 5 */
const YEAR_FIRST = new RegExp(
  `${NOT_AFTER}(\\d{4})[ ]?[-/., ][ ]?${MONTH_WORD}[ ]?[-/., ][ ]?(\\d{1,2})${NO_LETTER_BEFORE}`,
  "giu",
);
/** April 2001; April , 2001; April __, 2001; April [ ], 2001. Not 31 April 2001: no such day. */
const MONTH_AND_YEAR = new RegExp(
  `(?<![\\p{L}\\d]|(?<!\\d)\\d{1,2}(?:st|nd|rd|th)?[ ./-]{1,2})${MONTH_WORD}(?:[ \\n]{0,3}(?:_{1,12}|\\[[ _•●\\d]{0,6}\\]))?[ \\n]{0,3}[-/,]?[ \\n]{0,3}${OF}(\\d{4})${NO_LETTER_BEFORE}`,
  "giu",
);

/** How far from its month a date's other parts can be. */
const REACH = 60;

export interface NamedDate {
  readonly start: number;
  readonly end: number;
  readonly normal: string;
  readonly certainty: number;
}

interface Reading {
  readonly normal: string | null;
  readonly certainty: number;
}

/** In the order of the patterns; they may overlap. */
export function namedDates(text: string): NamedDate[] {
  const dates: NamedDate[] = [];
  for (const [from, to] of windows(text)) {
    for (const date of datesIn(text.slice(from, to))) {
      dates.push({ ...date, start: date.start + from, end: date.end + from });
    }
  }
  return dates;
}

/** Stretches around months' names: the patterns are not tried on the rest of a long text. */
function windows(text: string): [number, number][] {
  const found: [number, number][] = [];
  for (const [start, end] of monthWords(text)) {
    const [from, to] = [Math.max(0, start - REACH), Math.min(text.length, end + REACH)];
    const last = found.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  }
  return found.filter(([from, to]) => /\d/.test(text.slice(from, to)));
}

function datesIn(text: string): NamedDate[] {
  const dates: NamedDate[] = namedRanges(text).map((end) => ({ ...end, certainty: 0.985 }));
  const each = (pattern: RegExp, read: (match: RegExpExecArray) => Reading): void => {
    for (const match of text.matchAll(pattern)) {
      const { normal, certainty } = read(match);
      const end = match.index + match[0].length;
      if (normal !== null) dates.push({ start: match.index, end, normal, certainty });
    }
  };
  each(DAY_FIRST, ([, day, month, year, short]) => named(year ?? short!, month!, Number(day)));
  each(DAY_IN_WORDS, ([, day, month, year]) => named(year!, month!, ordinalDay(day!) ?? 0));
  each(MONTH_FIRST, ([, month, day, year, otherMonth, otherDay, otherYear]) =>
    named(year ?? otherYear!, month ?? otherMonth!, Number(day ?? otherDay)),
  );
  each(YEAR_FIRST, ([, year, month, day]) => named(year!, month!, Number(day)));
  each(MONTH_AND_YEAR, ([, month, year]) => ({
    normal: isoMonth(Number(year), monthNumber(month!) ?? 0),
    certainty: isOtherWord(month!) ? 0.4 : 0.7,
  }));
  return dates;
}

function named(year: string, month: string, day: number): Reading {
  const number = monthNumber(month);
  const digits = year.replace("'", "");
  const isShort = digits.length < 4;
  // 2 SET 15: goods, not September.
  if (number === null || (isShort && isOtherWord(month))) return { normal: null, certainty: 0 };
  return { normal: isoDate(fullYear(digits), number, day), certainty: isShort ? 0.85 : 0.98 };
}
