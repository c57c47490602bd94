/**
 * Whether a column of texts that could be abbreviated dates is one of dates. `Jan-15` may be a day of January or a code,
 * `2009/10` a season over two years, and `1/2000` a fraction: one cell does not tell, and all of a column do.
 */

import { shown } from "../shown.ts";
import { namedDate } from "./named-dates.ts";
import type { DataWarning } from "./reading.ts";
import { formatTimestamp } from "./timestamp-text.ts";

const MONTH_MS = (365.2425 / 12) * 864e5;
/** Fewer different months are hardly a column of times. */
const LEAST_MONTHS = 3;
/** The same where they may be days or codes. */
const LEAST_NAMED = 10;
/** Of the months between the first and the last, that a column of months has. */
const LEAST_SHARE = 0.5;
/** By so much days of a year must leave more out than months do. */
const DENSER = 2;
const MONTH_ALONE = /^(?:\d\d?[/-]\d{4}|\d{4}\/\d\d?)$/;
const NAMED_MONTH = /^([a-z]+)[^a-z\d]*(\d\d)$/i;
const SHORT_YEAR = /[a-z][^a-z\d]*\d\d$/i;

/**
 * @param texts different ones, of which every one can be read
 * @param times as they are read, in milliseconds since 1970
 */
export function areAbbreviatedDates(texts: readonly string[], times: readonly number[]): boolean {
  const named = texts.flatMap((text) => {
    const match = NAMED_MONTH.exec(text);
    return match ? [{ name: match[1].slice(0, 3).toLowerCase(), number: Number(match[2]) }] : [];
  });
  if (named.length > 0) return areMonths(named, times);
  if (!texts.some((text) => MONTH_ALONE.test(text))) return true;
  return texts.length >= LEAST_MONTHS && !texts.every(isSeason) && !texts.every(isFraction);
}

/** 2009/10, 1999/00. */
function isSeason(text: string): boolean {
  const [year, next] = text.split("/");
  return next !== undefined && (Number(year) + 1) % 100 === Number(next);
}

const isFraction = (text: string): boolean => text.startsWith("1/");

/** Of numbers behind months' names: whether they are years. */
function areMonths(
  named: readonly { readonly name: string; readonly number: number }[],
  times: readonly number[],
): boolean {
  const names = new Set(named.map(({ name }) => name));
  if (times.length < LEAST_NAMED || names.size < LEAST_MONTHS) return false;
  if (named.some(({ number }) => number === 0 || number > 31)) return true;
  const months = spanOf(times) / MONTH_MS + 1;
  // As days of one year, which is a leap year.
  const days = named.map(({ name, number }) => namedDate(`1 ${name} 2000`) + number - 1);
  return times.length >= LEAST_SHARE * months && DENSER * months <= spanOf(days) + 1;
}

function spanOf(times: readonly number[]): number {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) {
    least = Math.min(least, time);
    most = Math.max(most, time);
  }
  return most - least;
}

/** What is said of years with two digits; nothing where there are none. */
export function shortYearWarnings(
  name: string,
  texts: readonly string[],
  times: readonly number[],
): DataWarning[] {
  const first = texts.findIndex((text) => SHORT_YEAR.test(text));
  if (first < 0) return [];
  return [
    {
      message: `Column ${shown(name)} has years of two digits, such as ${shown(texts[first])}, which is read as ${formatTimestamp(times[first])}: 69 to 99 are of the 1900s, and 00 to 68 of the 2000s. Write years with four digits to be sure.`,
      column: name,
    },
  ];
}
