/**
 * Dates that name their month, quarter or week, as R, statistical offices and Excel write them, read as
 * the day that they begin with.
 *
 * Read, in capitals or not: 1981 Q1, 1981-Q1, 1981Q1, Q1 1981; 1960M01; 1991 W06, 1991-W06 (ISO weeks);
 * 1987 Jan, Jan 1987, January-1987; 31-Jan-1987, 31 January 1987, Jan 31, 1987, 1987-Jan-31. Years have
 * four digits, and months are in English.
 */

import { civilDays, validDate } from "./civil-days.ts";

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
/** Codes of other things have digits such as these, too. */
const [FIRST_YEAR, LAST_YEAR] = [1600, 2199];
const LONGEST = "30th September, 2011".length;

const NAME = `(?<name>${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|")}|sept)\\.?`;
const YEAR = "(?<year>\\d{4})";
const DAY = "(?<day>\\d{1,2})(?:\\.|st|nd|rd|th)?";
const FORMS = [
  `${YEAR}[ -]?Q(?<quarter>[1-4])`,
  `Q(?<quarter>[1-4])[ /-]?${YEAR}`,
  `${YEAR}M(?<month>\\d{2})`,
  `${YEAR}[ -]?W(?<week>\\d{2})`,
  `${YEAR}[ -]${NAME}`,
  `${NAME}[ -]${YEAR}`,
  `${DAY}[ -]${NAME},?[ -]${YEAR}`,
  `${NAME}[ -]${DAY},?[ -]${YEAR}`,
  `${YEAR}[ -]${NAME}[ -]${DAY}`,
].map((form) => new RegExp(`^${form}$`, "i"));
/** Most texts are none, and most of them are known by this. */
const MAYBE = /^(?:\d{1,2}\D|\d{4}[ -]?[a-z]|q[1-4]|[a-z]{3,9}\.?[ -]\d)/i;

/** Days from 1970-01-01; NaN for what is no such date. */
export function namedDate(text: string): number {
  if (text.length > LONGEST || !MAYBE.test(text)) return Number.NaN;
  for (const form of FORMS) {
    const found = form.exec(text)?.groups;
    if (found) return daysOf(found);
  }
  return Number.NaN;
}

function daysOf({ year, quarter, month, week, name, day }: Record<string, string>): number {
  const y = Number(year);
  if (y < FIRST_YEAR || y > LAST_YEAR) return Number.NaN;
  if (week !== undefined) return mondayOf(y, Number(week));
  const m = monthOf(quarter, month, name);
  const d = Number(day ?? 1);
  return validDate(y, m, d) ? civilDays(y, m, d) : Number.NaN;
}

function monthOf(
  quarter: string | undefined,
  month: string | undefined,
  name: string | undefined,
): number {
  if (quarter !== undefined) return 3 * Number(quarter) - 2;
  if (month !== undefined) return Number(month);
  const begin = (name ?? "").slice(0, 3).toLowerCase();
  return MONTHS.findIndex((each) => each.startsWith(begin)) + 1;
}

/** Of an ISO week: the first is that of January 4. */
function mondayOf(year: number, week: number): number {
  const first = weekStart(civilDays(year, 1, 4));
  const monday = first + 7 * (week - 1);
  const isOfYear = week >= 1 && monday < weekStart(civilDays(year + 1, 1, 4));
  return isOfYear ? monday : Number.NaN;
}

/** The Monday at or before a day; 1970-01-01 was a Thursday. */
function weekStart(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}
