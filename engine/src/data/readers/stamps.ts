/**
 * Times written as whole numbers: dates as YYYYMMDD, and seconds or milliseconds since 1970-01-01 in UTC.
 * The three lie so far apart that a number tells which it is. Whether a column of numbers is one of times
 * is a guess (`stamp-form.ts`).
 */

/** How a column writes its times as numbers. */
export const STAMP_FORMS = ["yyyymmdd", "seconds", "milliseconds"] as const;
/** One of `STAMP_FORMS`. */
export type StampForm = (typeof STAMP_FORMS)[number];

const FIRST_DATE = 1900_01_01;
const LAST_DATE = 2100_12_31;
/** March 1973 to 2128: below, seconds could be dates. */
const SECONDS = [1e8, 5e9] as const;

/** Milliseconds since 1970 of the midnight in UTC that YYYYMMDD is; NaN for what is no date of 1900 to 2100. */
export function dateOf(value: number): number {
  if (!Number.isInteger(value) || value < FIRST_DATE || value > LAST_DATE) return Number.NaN;
  const [year, month, day] = [Math.floor(value / 1e4), Math.floor(value / 100) % 100, value % 100];
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? time : Number.NaN;
}

/** Milliseconds since 1970 of a time that is written as a whole number; NaN where it is none. */
export function stampTime(value: number): number {
  if (value <= LAST_DATE) return dateOf(value);
  if (!Number.isInteger(value)) return Number.NaN;
  if (value >= SECONDS[0] && value <= SECONDS[1]) return value * 1000;
  return value >= SECONDS[0] * 1000 && value <= SECONDS[1] * 1000 ? value : Number.NaN;
}

const DIGITS = /^\d{8,13}$/;

/** The same of a text of digits alone. */
export function stampTextTime(text: string): number {
  return DIGITS.test(text) && text[0] !== "0" ? stampTime(Number(text)) : Number.NaN;
}

/** The number that a time was written as; NaN stays. */
export function stampOf(time: number, form: StampForm): number {
  if (form !== "yyyymmdd") return form === "seconds" ? time / 1000 : time;
  const date = new Date(time);
  return date.getUTCFullYear() * 1e4 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}
