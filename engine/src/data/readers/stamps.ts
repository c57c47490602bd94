/**
 * Times written as numbers: dates as YYYYMMDD, months as YYYYMM, seconds or milliseconds since 1970-01-01 in UTC, and years whose
 * decimals are twelfths, as R's `time()` has months and quarters (1949.08 is February, to two digits).
 * They lie so far apart that a number tells which it is. Whether a column of numbers is one of times
 * is a guess (`stamp-form.ts`).
 */

/** How a column writes its times as numbers; years with as many decimals, or with all that there are. */
export const STAMP_FORMS = [
  "yyyymmdd",
  "yyyymm",
  "seconds",
  "milliseconds",
  "years2",
  "years3",
  "years4",
  "years",
] as const;
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

/** Years that a number of four digits and its decimals may be. */
const YEARS = [1500, 2200] as const;
/** By so much of a month a year of two digits may lie beside its twelfth. */
const NEAR_MONTH = 0.0601;

/** Months of the years that dates are of. */
const [FIRST_MONTH, LAST_MONTH] = [1900_01, 2100_12];

/** Milliseconds since 1970 of the first of a month that is written as YYYYMM, or as a year in decimals; NaN for other numbers. */
export function monthOf(value: number): number {
  if (value >= FIRST_MONTH && value <= LAST_MONTH) return dateOf(100 * value + 1);
  const months = Math.round(12 * value);
  return value >= YEARS[0] && value < YEARS[1] && Math.abs(12 * value - months) < NEAR_MONTH
    ? Date.UTC(1970, months - 12 * 1970)
    : Number.NaN;
}

/** Milliseconds since 1970 of a time that is written as a number; NaN where it is none. */
export function stampTime(value: number): number {
  if (value < FIRST_DATE) return monthOf(value);
  if (value <= LAST_DATE) return dateOf(value);
  if (!Number.isInteger(value)) return Number.NaN;
  if (value >= SECONDS[0] && value <= SECONDS[1]) return value * 1000;
  return value >= SECONDS[0] * 1000 && value <= SECONDS[1] * 1000 ? value : Number.NaN;
}

const DIGITS = /^\d{8,13}$|^\d{6}$|^\d{4}(\.\d+)?$/;

/** The same of a text. */
export function stampTextTime(text: string): number {
  return DIGITS.test(text) && text[0] !== "0" ? stampTime(Number(text)) : Number.NaN;
}

/** The number that a time was written as; NaN stays. */
export function stampOf(time: number, form: StampForm): number {
  if (form === "milliseconds") return time;
  if (form === "seconds") return time / 1000;
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const yyyymm = year * 100 + month + 1;
  if (form === "yyyymm") return yyyymm;
  if (form === "yyyymmdd") return yyyymm * 100 + date.getUTCDate();
  return inDigits(year + month / 12, form);
}

/** A year in decimals as such a column writes it. */
export const inDigits = (year: number, form: StampForm): number =>
  form === "years" ? year : Number(year.toFixed(Number(form.at(-1))));
