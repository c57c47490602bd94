/** Whether a column of numbers is one of times: a guess, made of all its values. */

import { dateOf, inDigits, monthOf, type StampForm } from "./stamps.ts";

const WHOLE_FORMS: readonly StampForm[] = ["yyyymmdd", "yyyymm", "seconds", "milliseconds"];
/** Those that hardly any other numbers look like. */
const OF_DIGITS: readonly (StampForm | null)[] = ["yyyymmdd", "yyyymm"];
/** By digits, the fewest first. */
const YEAR_FORMS: readonly StampForm[] = ["years2", "years3", "years4", "years"];
/** Below, numbers are years. */
const LEAST_WHOLE_MONTH = 1e5;
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
const YEAR_WORDS = new Set("year years yr month months quarter quarters qtr period".split(" "));
const LENGTH_WORDS = new Set(
  "elapsed duration latency delay response wait waiting processing run runtime lap reaction ns us".split(
    " ",
  ),
);

/**
 * How a column of numbers writes times, or null where it does not seem to.
 *
 * Dates: every value is one, there are at least ten, and of several months: numbers that follow on each
 * other go through some that are no dates where a month ends. Months: the same, of several years. Seconds and milliseconds: all values are of
 * 1990 to 2050, there are at least ten, and the column's name says that it holds times. Years in decimals: all
 * values are the twelfths of years in as many digits, there are at least ten, not all of them whole, and the
 * column's name says so where all are quarters, which amounts are as well.
 *
 * @param values NaN = missing
 */
export function stampFormOf(name: string, values: Float64Array): StampForm | null {
  return wholeFormOf(name, values) ?? yearFormOf(name, values);
}

function wholeFormOf(name: string, values: Float64Array): StampForm | null {
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
  if (distinct.size < FEWEST_VALUES || (OF_DIGITS.includes(form) && months.size < 2)) return null;
  return form;
}

/** Digits of twelfths beyond these are those of a double, in which sums of twelfths are off by their last ones. */
const NEAR_YEAR = 1e-5;

function yearFormOf(name: string, values: Float64Array): StampForm | null {
  let forms: readonly StampForm[] = YEAR_FORMS;
  const distinct = new Set<number>();
  let parts = 12;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    if (value >= LEAST_WHOLE_MONTH || Number.isNaN(monthOf(value))) return null;
    const months = Math.round(12 * value);
    forms = forms.filter((form) => isYear(value, months / 12, form));
    if (forms.length === 0) return null;
    if (distinct.size < FEWEST_VALUES) distinct.add(months);
    parts = divisor(parts, months);
  }
  if (distinct.size < FEWEST_VALUES || parts === 12) return null;
  return parts % 3 !== 0 || isNameOfTimes(name, YEAR_WORDS) ? forms[0] : null;
}

const isYear = (value: number, year: number, form: StampForm): boolean =>
  form === "years" ? Math.abs(value - year) < NEAR_YEAR : value === inDigits(year, form);

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function guessed(value: number, name: string): StampForm | null {
  const fitting = WHOLE_FORMS.find((form) => isOf(form, value));
  if (fitting === undefined || OF_DIGITS.includes(fitting)) return fitting ?? null;
  return isNameOfTimes(name) ? fitting : null;
}

function isOf(form: StampForm, value: number): boolean {
  if (form === "yyyymmdd") return !Number.isNaN(dateOf(value));
  if (form === "yyyymm") return value >= LEAST_WHOLE_MONTH && !Number.isNaN(monthOf(value));
  const scale = form === "seconds" ? 1 : 1000;
  const [first, last] = GUESSED_SECONDS;
  return Number.isInteger(value) && value >= first * scale && value <= last * scale;
}

/** `created_at`, `eventTime`, `ts`; no `response_time`, whose numbers are lengths of time. */
function isNameOfTimes(name: string, others: ReadonlySet<string> = new Set()): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
  if (words.some((word) => LENGTH_WORDS.has(word))) return false;
  return words.length > 1 && words.at(-1) === "at"
    ? true
    : words.some((word) => TIME_WORDS.has(word) || others.has(word));
}
