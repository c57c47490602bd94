/**
 * Times written as text, read from bytes: ISO 8601 calendar dates and date-times, and the common
 * variants of them. A time without a zone is taken as UTC.
 *
 * Read: 2011-01-31, 2011/1/31, 2011-01, 31.1.2011, each with an optional time after `T` or spaces:
 * 10, 10:05, 10:05:59, 10:05:59.123456, 10:05 PM and an optional zone: Z, UTC, +01, +01:00, -0330.
 * In ISO's basic form, with a time: 20110131T100559, 20110131T1005Z. Without a time it is a number, which
 * `stamps.ts` reads.
 * Dates by the names of months, and quarters and weeks, are read by `named-dates.ts`, without a time.
 * 1/31/2011 and 1-31-2011 are ambiguous cell by cell, and 1/2011, 2011/01, Jan-11 and 31-Jan-11 are other things
 * in other columns, so how they are read is a parameter; see `slashedOrder`.
 */

import { shown } from "../shown.ts";
import { civilDays, validDate } from "./civil-days.ts";
import { FIRST_YEAR, LAST_YEAR, namedDate } from "./named-dates.ts";

/**
 * How a column writes dates that a cell alone does not tell: 1/31/2011 or 31/1/2011; or months as 1/2011 or 2011/01 and dates
 * with years of two digits behind the names of their months.
 */
export const SLASHED_ORDERS = ["month-first", "day-first", "abbreviated"] as const;
/** One of `SLASHED_ORDERS`. */
export type SlashedOrder = (typeof SLASHED_ORDERS)[number];

let at = 0;

/** What else was seen of the text that was read last, where that was a time. */
export const lastTime = { hasZone: false };

/** Reads `min` to `max` digits at `at`; -1 where there are fewer. */
function digits(bytes: Uint8Array, end: number, min: number, max: number): number {
  let value = 0;
  let count = 0;
  while (count < max && at < end) {
    const digit = bytes[at] - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    at++;
    count++;
  }
  return count < min ? -1 : value;
}

/** Milliseconds of the zone at `at` east of UTC, 0 without one, NaN where it is malformed. */
function zoneOffset(bytes: Uint8Array, end: number): number {
  if (at === end) return 0;
  lastTime.hasZone = true;
  const c = bytes[at];
  if (c === 90 || c === 122) {
    at++;
    return 0;
  }
  if (c === 85 && bytes[at + 1] === 84 && bytes[at + 2] === 67) {
    at += 3;
    return 0;
  }
  if (c !== 43 && c !== 45) return Number.NaN;
  at++;
  const hours = digits(bytes, end, 2, 2);
  if (at < end && bytes[at] === 58) at++;
  const minutes = at === end ? 0 : digits(bytes, end, 2, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return Number.NaN;
  return (c === 43 ? 1 : -1) * (hours * 60 + minutes) * 60_000;
}

/** Whether minutes or seconds come next; in the basic form nothing stands before them. */
function partFollows(bytes: Uint8Array, end: number, isBasic: boolean): boolean {
  if (at === end) return false;
  if (isBasic) return bytes[at] >= 48 && bytes[at] <= 57;
  if (bytes[at] !== 58) return false;
  at++;
  return true;
}

function skipBlanks(bytes: Uint8Array, end: number): void {
  while (at < end && bytes[at] === 32) at++;
}

/** Milliseconds of the time of day (and its zone) at `at`; NaN where it is malformed. */
function timeOfDay(bytes: Uint8Array, end: number, isBasic = false): number {
  if (at === end) return 0;
  const separator = bytes[at];
  if (separator !== 84 && separator !== 116 && separator !== 32) return Number.NaN;
  at++;
  if (separator === 32) skipBlanks(bytes, end);
  let hours = digits(bytes, end, isBasic ? 2 : 1, 2);
  let minutes = 0;
  let seconds = 0;
  let fraction = 0;
  if (partFollows(bytes, end, isBasic)) {
    minutes = digits(bytes, end, 2, 2);
    if (partFollows(bytes, end, isBasic)) {
      seconds = digits(bytes, end, 2, 2);
      if (at < end && (bytes[at] === 46 || bytes[at] === 44)) {
        at++;
        const start = at;
        fraction = digits(bytes, end, 1, 12);
        if (fraction >= 0) fraction = (fraction / 10 ** (at - start)) * 1000;
      }
    }
  }
  if (hours < 0 || hours > 24 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 60) {
    return Number.NaN;
  }
  if (fraction < 0 || (hours === 24 && minutes + seconds + fraction > 0)) return Number.NaN;
  skipBlanks(bytes, end);
  const half = at + 1 < end && !isBasic && (bytes[at + 1] | 32) === 109 ? bytes[at] | 32 : 0;
  if (half === 97 || half === 112) {
    if (hours < 1 || hours > 12) return Number.NaN;
    hours = (hours % 12) + (half === 112 ? 12 : 0);
    at += 2;
    skipBlanks(bytes, end);
  }
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction - zoneOffset(bytes, end);
}

/** MMDDThhmmss behind the year, at `at`. */
function basicForm(bytes: Uint8Array, end: number, year: number): number {
  const month = digits(bytes, end, 2, 2);
  const day = digits(bytes, end, 2, 2);
  if (at === end || (bytes[at] !== 84 && bytes[at] !== 116)) return Number.NaN;
  if (!validDate(year, month, day)) return Number.NaN;
  const time = timeOfDay(bytes, end, true);
  return at === end ? civilDays(year, month, day) * 86_400_000 + time : Number.NaN;
}

/**
 * Milliseconds since 1970-01-01T00:00:00Z of the time written in bytes[start, end), or NaN.
 *
 * @param slashed how 1/2/2011 is to be read; null refuses it, and what is abbreviated
 */
export function parseTimestampBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  slashed: SlashedOrder | null = null,
): number {
  lastTime.hasZone = false;
  if (end - start < 6 || end - start > 48) return Number.NaN;
  const time = numberedDate(bytes, start, end, slashed);
  if (!Number.isNaN(time)) return time;
  const text = String.fromCharCode(...bytes.subarray(start, end));
  const days = namedDate(text);
  return (slashed === "abbreviated" && Number.isNaN(days) ? namedDate(text, true) : days) * 864e5;
}

const isYear = (year: number): boolean => year >= FIRST_YEAR && year <= LAST_YEAR;

/** Of a date in digits alone. */
function numberedDate(
  bytes: Uint8Array,
  start: number,
  end: number,
  slashed: SlashedOrder | null,
): number {
  at = start;
  const first = digits(bytes, end, 1, 4);
  const width = at - start;
  const separator = at < end ? bytes[at] : 0;
  if (width === 4 && separator >= 48 && separator <= 57) return basicForm(bytes, end, first);
  if (first < 0 || (separator !== 45 && separator !== 47 && separator !== 46)) return Number.NaN;
  at++;
  const isShort = slashed === "abbreviated" && separator !== 46;
  const behind = at;
  const second = digits(bytes, end, 1, isShort && width <= 2 ? 4 : 2);
  if (second < 0) return Number.NaN;
  let year = first;
  let month = second;
  let day = 1;
  if (width === 4) {
    if (separator === 46) return Number.NaN;
    if (at < end && bytes[at] === separator) {
      at++;
      day = digits(bytes, end, 1, 2);
    } else if (at !== end || (separator !== 45 && !isShort)) return Number.NaN;
  } else if (isShort) {
    if (at !== end || at - behind !== 4 || !isYear(second)) return Number.NaN;
    [year, month] = [second, first];
  } else {
    if (width > 2 || at === end || bytes[at] !== separator) return Number.NaN;
    if (separator !== 46 && slashed === null) return Number.NaN;
    at++;
    year = digits(bytes, end, 4, 4);
    // Codes have hyphens, too.
    if (separator === 45 ? !isYear(year) : year < 0) return Number.NaN;
    const monthFirst = separator !== 46 && slashed === "month-first";
    month = monthFirst ? first : second;
    day = monthFirst ? second : first;
  }
  if (!validDate(year, month, day)) return Number.NaN;
  const time = timeOfDay(bytes, end);
  return at === end ? civilDays(year, month, day) * 86_400_000 + time : Number.NaN;
}

/** Whether a time's fraction of a second has digits behind the `places`th other than zeros. */
export function hasFraction(
  bytes: Uint8Array,
  start: number,
  end: number,
  places: number,
): boolean {
  let place = 0;
  for (let index = start; index < end; index++) {
    const byte = bytes[index];
    if (byte === 46 || byte === 44) place = 1;
    else if (byte < 48 || byte > 57) place = 0;
    else if (place > 0 && place++ > places && byte > 48) return true;
  }
  return false;
}

const scratch = new Uint8Array(64);
const encoder = new TextEncoder();

/** `parseTimestampBytes` of a string. */
export function parseTimestamp(text: string, slashed: SlashedOrder | null = null): number {
  if (text.length > 48) return Number.NaN;
  const { read, written } = encoder.encodeInto(text, scratch);
  return read === text.length ? parseTimestampBytes(scratch, 0, written, slashed) : Number.NaN;
}

/**
 * The order that reads every one of these texts as a date like 1/31/2011 or an abbreviated one, or null where none does, or
 * none is needed.
 * Where both do, `ambiguous` says so, and month comes first, unless that would make the first days of months, as 01/04/2015
 * and 01/05/2015, days of January.
 */
export function slashedOrder(
  texts: readonly string[],
): { order: SlashedOrder; ambiguous: boolean } | null {
  const reads = (order: SlashedOrder | null): boolean =>
    texts.every((text) => !Number.isNaN(parseTimestamp(text, order)));
  if (reads(null)) return null;
  let monthFirst = reads("month-first");
  const dayFirst = reads("day-first");
  const isBoth = monthFirst && dayFirst;
  const firsts = (of: RegExp): boolean => texts.every((text) => of.test(text));
  if (isBoth && firsts(/^0?1[/-]/) && !firsts(/^0?1[/-]0?1[/-]/)) monthFirst = false;
  return monthFirst
    ? { order: "month-first", ambiguous: dayFirst }
    : dayFirst
      ? { order: "day-first", ambiguous: isBoth }
      : reads("abbreviated")
        ? { order: "abbreviated", ambiguous: false }
        : null;
}

/** Whether a text is a time in any order. */
export function isDate(text: string): boolean {
  return SLASHED_ORDERS.some((order) => !Number.isNaN(parseTimestamp(text, order)));
}

/** Two texts that are dates like 1/31/2011, of which no order reads both. */
export interface ContraryDates {
  readonly dayFirst: string;
  readonly monthFirst: string;
}

/** The first such two; null where one order reads all dates among the texts. */
export function contraryDates(texts: Iterable<string>): ContraryDates | null {
  let dayFirst: string | null = null;
  let monthFirst: string | null = null;
  for (const text of texts) {
    if (!/^\s*\d\d?[/-]/.test(text)) continue;
    const isMonthFirst = !Number.isNaN(parseTimestamp(text.trim(), "month-first"));
    const isDayFirst = !Number.isNaN(parseTimestamp(text.trim(), "day-first"));
    if (isDayFirst && !isMonthFirst) dayFirst ??= text;
    if (isMonthFirst && !isDayFirst) monthFirst ??= text;
    if (dayFirst !== null && monthFirst !== null) return { dayFirst, monthFirst };
  }
  return null;
}

/** @param rowOf the first row, from 1, that holds a text */
export function contrarySentence(
  column: string,
  { dayFirst, monthFirst }: ContraryDates,
  rowOf: (text: string) => number,
): string {
  return `Column ${shown(column)} has dates with the day first, such as ${shown(dayFirst)} in row ${rowOf(dayFirst)}, and dates with the month first, such as ${shown(monthFirst)} in row ${rowOf(monthFirst)}; write all in one order, best as year-month-day.`;
}

/** ISO 8601 in UTC, to the microsecond: the date alone at midnight, else with as much of the time as it has. */
export function formatTimestamp(milliseconds: number): string {
  let whole = Math.floor(milliseconds);
  let micros = Math.round((milliseconds - whole) * 1000);
  if (micros === 1000) {
    whole++;
    micros = 0;
  }
  const date = new Date(whole);
  if (Number.isNaN(date.getTime())) return String(milliseconds);
  const text = date.toISOString();
  if (micros > 0) return text.replace("Z", `${String(micros).padStart(3, "0")}Z`);
  return whole % 86_400_000 === 0 ? text.slice(0, -14) : text.replace(".000Z", "Z");
}

/** A time whose date was read month first, as day first, and the other way round; NaN where there is no such day. */
export function inOtherOrder(milliseconds: number): number {
  const date = new Date(Math.floor(milliseconds));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  if (!validDate(year, day, month)) return Number.NaN;
  return milliseconds + (civilDays(year, day, month) - civilDays(year, month, day)) * 86_400_000;
}
