/** Lengths of ISO 8601 durations, for comparing 1 year with 12 months. */

const DAYS: Readonly<Record<string, number>> = { Y: 365.25, M: 365.25 / 12, W: 7, D: 1 };
const OF_DAY: Readonly<Record<string, number>> = { H: 1 / 24, M: 1 / 1440, S: 1 / 86_400 };

/** Days, rounded to the second; a year is 365.25 of them. Null where it is no duration. */
export function isoDuration(written: string): number | null {
  const match = /^P((?:\d+(?:\.\d+)?[YMWD]){0,4})(?:T((?:\d+(?:\.\d+)?[HMS]){1,3}))?$/.exec(
    written,
  );
  if (match === null || written.length < 3) return null;
  let days = 0;
  for (const [, amount, unit] of (match[1] ?? "").matchAll(/([\d.]+)([YMWD])/g)) {
    days += Number(amount) * DAYS[unit!]!;
  }
  for (const [, amount, unit] of (match[2] ?? "").matchAll(/([\d.]+)([HMS])/g)) {
    days += Number(amount) * OF_DAY[unit!]!;
  }
  return Math.round(days * 86_400) / 86_400;
}
