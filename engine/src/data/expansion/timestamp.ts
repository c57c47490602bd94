/** Calendar parts of times, in UTC, and the days elapsed since the earliest time fitted. */

export const TIMESTAMP_PARTS = [
  "year",
  "month",
  "day",
  "weekday",
  "day_of_year",
  "hour",
  "minute",
  "second",
  "elapsed_days",
] as const;
export type TimestampPart = (typeof TIMESTAMP_PARTS)[number];

const DAY = 86_400_000;

/** Year, month 1–12, day 1–31 and day of the year 1–366 of a day number since 1970-01-01. */
const date = { year: 0, month: 0, day: 0, dayOfYear: 0 };

/** Hinnant's days-to-civil, in `date`. */
function setDate(days: number): void {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  // Counted from the first of March, so that the leap day is the last of the year.
  const dayOfShifted =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfShifted + 2) / 153);
  date.day = dayOfShifted - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  date.month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  date.year = yearOfEra + era * 400 + (date.month <= 2 ? 1 : 0);
  const leap = (date.year % 4 === 0 && date.year % 100 !== 0) || date.year % 400 === 0;
  date.dayOfYear = date.month > 2 ? dayOfShifted + 60 + (leap ? 1 : 0) : dayOfShifted - 306 + 1;
}

function partOf(time: number, part: TimestampPart, origin: number): number {
  if (part === "elapsed_days") return (time - origin) / DAY;
  const days = Math.floor(time / DAY);
  const inDay = time - days * DAY;
  switch (part) {
    case "hour":
      return Math.floor(inDay / 3_600_000);
    case "minute":
      return Math.floor(inDay / 60_000) % 60;
    case "second":
      return Math.floor(inDay / 1000) % 60;
    case "weekday":
      // 1970-01-01 was a Thursday; Monday is 0.
      return (((days + 3) % 7) + 7) % 7;
    case "year":
      setDate(days);
      return date.year;
    case "month":
      setDate(days);
      return date.month;
    case "day":
      setDate(days);
      return date.day;
    case "day_of_year":
      setDate(days);
      return date.dayOfYear;
  }
}

/** One part of each time into `out`; NaN stays NaN. `rows` null = all, in order. */
export function timestampPart(
  times: Float64Array,
  rows: Uint32Array | null,
  part: TimestampPart,
  origin: number,
  out: Float64Array,
): void {
  for (let i = 0; i < out.length; i++) {
    const time = times[rows === null ? i : rows[i]];
    // Infinite times have no calendar.
    out[i] = Number.isFinite(time) ? partOf(time, part, origin) : Number.NaN;
  }
}

/** The parts that differ between two times at least. */
export function varyingParts(
  times: Float64Array,
  rows: Uint32Array | null,
  origin: number,
): TimestampPart[] {
  const count = rows?.length ?? times.length;
  return TIMESTAMP_PARTS.filter((part) => {
    let first = Number.NaN;
    for (let i = 0; i < count; i++) {
      const time = times[rows === null ? i : rows[i]];
      if (!Number.isFinite(time)) continue;
      const value = partOf(time, part, origin);
      if (Number.isNaN(first)) first = value;
      else if (value !== first) return true;
    }
    return false;
  });
}
