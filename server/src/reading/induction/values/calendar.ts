/** Days that exist, and years written with two digits. */

import { validDate } from "@distillery/engine/csv";

/** POSIX's rule for two digits: 69 to 99 are the 1900s, 0 to 68 the 2000s. Fixed: no clock. */
export function fullYear(written: string): number {
  const year = Number(written);
  if (written.length > 2) return year;
  return year >= 69 ? 1900 + year : 2000 + year;
}

/** `YYYY-MM-DD`, or null for a day that never was, or outside the years 1600 to 2199. */
export function isoDate(year: number, month: number, day: number): string | null {
  if (!(year >= 1600 && year <= 2199 && validDate(year, month, day))) return null;
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
}

/** `YYYY-MM`, or null. */
export function isoMonth(year: number, month: number): string | null {
  if (!(year >= 1600 && year <= 2199 && month >= 1 && month <= 12)) return null;
  return `${year}-${twoDigits(month)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
