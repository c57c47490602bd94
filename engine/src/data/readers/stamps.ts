/**
 * Times written as whole numbers: dates as YYYYMMDD, and seconds or milliseconds since 1970-01-01 in UTC.
 * The three lie so far apart that a number tells which it is. Whether a column of numbers is one of times
 * is a guess, made of all its values (`stampFormOf`).
 */

/** How a column writes its times as numbers. */
export const STAMP_FORMS = ["yyyymmdd", "seconds", "milliseconds"] as const;
/** One of `STAMP_FORMS`. */
export type StampForm = (typeof STAMP_FORMS)[number];

const FIRST_DATE = 1900_01_01;
const LAST_DATE = 2100_12_31;
/** March 1973 to 2128: below, seconds could be dates. */
const SECONDS = [1e8, 5e9] as const;
/** Values that a guess needs to see: fewer could be anything. */
const FEWEST_VALUES = 10;
/** Seconds since 1970 that a guess takes for times: 1990 to 2050. */
const GUESSED_SECONDS = [631_152_000, 2_524_608_000] as const;

/** Words of the names of columns that hold times, and of those that hold lengths of time. */
const TIME_WORDS = new Set(
  "time times timestamp timestamps date datetime ts epoch unix unixtime utc created updated modified".split(
    " ",
  ),
);
const LENGTH_WORDS = new Set(
  "elapsed duration latency delay response wait waiting processing run runtime lap reaction ns us".split(
    " ",
  ),
);

/** Milliseconds since 1970 of the midnight in UTC that YYYYMMDD is; NaN for what is no date of 1900 to 2100. */
function dateOf(value: number): number {
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

/**
 * How a column of numbers writes times, or null where it does not seem to.
 *
 * Dates: every value is one, there are at least ten, and of several months: numbers that follow on each
 * other go through some that are no dates where a month ends. Seconds and milliseconds: all values are of
 * 1990 to 2050, there are at least ten, and the column's name says that it holds times.
 *
 * @param values NaN = missing
 */
export function stampFormOf(name: string, values: Float64Array): StampForm | null {
  let form: StampForm | null = null;
  const distinct = new Set<number>();
  const months = new Set<number>();
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    form ??= guessed(value, name);
    if (form === null || !isOf(form, value)) return null;
    if (distinct.size < FEWEST_VALUES) distinct.add(value);
    if (months.size < 2) months.add(Math.floor(value / 100));
  }
  if (distinct.size < FEWEST_VALUES || (form === "yyyymmdd" && months.size < 2)) return null;
  return form;
}

function guessed(value: number, name: string): StampForm | null {
  const fitting = STAMP_FORMS.find((form) => isOf(form, value));
  if (fitting === undefined || fitting === "yyyymmdd") return fitting ?? null;
  return isNameOfTimes(name) ? fitting : null;
}

function isOf(form: StampForm, value: number): boolean {
  if (form === "yyyymmdd") return !Number.isNaN(dateOf(value));
  const scale = form === "seconds" ? 1 : 1000;
  const [first, last] = GUESSED_SECONDS;
  return Number.isInteger(value) && value >= first * scale && value <= last * scale;
}

/** `created_at`, `eventTime`, `ts`; no `response_time`, whose numbers are lengths of time. */
function isNameOfTimes(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
  if (words.some((word) => LENGTH_WORDS.has(word))) return false;
  return words.length > 1 && words.at(-1) === "at"
    ? true
    : words.some((word) => TIME_WORDS.has(word));
}
