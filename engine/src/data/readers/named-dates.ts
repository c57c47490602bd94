/**
 * Dates that name their month, quarter or week, as R, SAS, statistical offices and Excel write them, read
 * as the day that they begin with.
 *
 * Read, in capitals or not: 1981 Q1, 1981-Q1, 1981Q1, Q1 1981, Q1/1981; 1960M01; 1991 W06, 1991-W6 (ISO weeks);
 * 1987 Jan, Jan 1987, January-1987; 31-Jan-1987, 31JAN1987, 31st January 1987, Jan 31, 1987, 1987-Jan-31.
 * Years have four digits, or two where that is asked for: Jan-87, 31-Jan-87. Months are in English.
 */

import { civilDays, validDate } from "./civil-days.ts";

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
/** Codes of other things have digits such as these, too. */
export const [FIRST_YEAR, LAST_YEAR] = [1600, 2199];
/** Of two digits, as POSIX and the documents of this project have them: 69 to 99 are the 1900s. */
const LAST_OF_2000S = 68;
/** Digits and words, at most one blank, hyphen or slash between two, with a point or a comma before it. */
const SHAPE = /^[a-z\d]{1,9}(?:[.,]?[ /-]?[a-z\d]{1,9}){0,3}$/i;
/** y = year, d1 and d2 = one digit or two, n = the name of a month; the others stand for themselves. */
const FORM = /^(?:yn|ny|d[12]ny|nd[12]y|ynd[12]|y[qw]d1|qd1y|y[mw]d2)$/;

/**
 * Days from 1970-01-01; NaN for what is no such date.
 *
 * @param isShort whether two digits behind a month's name are a year
 */
export function namedDate(text: string, isShort = false): number {
  if (!SHAPE.test(text)) return Number.NaN;
  const plain = text.toLowerCase().replace(/(\d)(?:st|nd|rd|th)\b/, "$1");
  let form = "";
  const read: Record<string, number> = {};
  for (const part of plain.match(/\d+|[a-z]+/g) ?? []) {
    const month = monthOf(part);
    const isYear = isShort && part.length === 2 && form.endsWith("n");
    const written =
      month > 0 ? "n" : part >= "a" ? part : part.length === 4 || isYear ? "y" : `d${part.length}`;
    form += written;
    read[written[0]] =
      month || Number(part) + (isYear ? (Number(part) > LAST_OF_2000S ? 1900 : 2000) : 0);
  }
  const { y, n, d = 1 } = read;
  if (!FORM.test(form) || y < FIRST_YEAR || y > LAST_YEAR) return Number.NaN;
  if ("w" in read) return mondayOf(y, d);
  const [month, day] = n ? [n, d] : ["q" in read ? 3 * d - 2 : d, 1];
  return validDate(y, month, day) ? civilDays(y, month, day) : Number.NaN;
}

/** From 1; 0 for what is no name of one, nor its beginning. */
function monthOf(name: string): number {
  return name.length < 3 ? 0 : MONTHS.findIndex((month) => month.startsWith(name)) + 1;
}

/** Of an ISO week: the first is that of January 4. */
function mondayOf(year: number, week: number): number {
  const monday = weekStart(year) + 7 * (week - 1);
  return week > 0 && monday < weekStart(year + 1) ? monday : Number.NaN;
}

/** The Monday at or before January 4; 1970-01-01 was a Thursday, and no year here is long before. */
function weekStart(year: number): number {
  const day = civilDays(year, 1, 4);
  return day - ((day + 3 + 7e5) % 7);
}
