/**
 * The steps that series are observed at: from their stamps to whole numbers and back. Calendar months
 * (and quarters, years), business days, or steps of one length in time or in numbers.
 */

import { DataError } from "../../data/table.ts";

export type Frequency =
  /** Milliseconds of times, or units of numbers. */
  | { readonly kind: "regular"; readonly step: number; readonly origin: number }
  /** `end`: each stamp is the last day of its month. */
  | {
      readonly kind: "months";
      readonly step: number;
      readonly origin: number;
      readonly day: number;
      readonly end: boolean;
      readonly time: number;
    }
  /** Monday to Friday, at so many milliseconds of their days: below 0, or a day or more, where a local day is another one in UTC. */
  | { readonly kind: "business_days"; readonly time: number };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Of neighbouring stamps, those whose distance must be whole steps. */
export const REGULAR_SHARE = 0.9;
/** Distances between neighbours that say what a step is. */
export const MOST_DISTANCES = 200_000;

/** Significant digits of steps in numbers. */
const STEP_DIGITS = 12;

/** By so much of itself a number of steps in one may be off. */
const NEAR = 1e-9;
/** Of a step that is shown. */
const SHOWN_DIGITS = 6;

/** Stamps of one series, ascending and distinct. */
export interface Stamps {
  readonly name: string;
  readonly times: Float64Array;
}

/**
 * @param isTime milliseconds since 1970; else numbers
 * @throws DataError where the stamps are not those of steps of one length
 */
export function inferFrequency(series: readonly Stamps[], isTime: boolean): Frequency {
  const distances: number[] = [];
  let origin = Number.POSITIVE_INFINITY;
  for (const { times } of series) {
    origin = Math.min(origin, times[0]);
    for (let i = 1; i < times.length && distances.length < MOST_DISTANCES; i++) {
      distances.push(times[i] - times[i - 1]);
    }
  }
  if (distances.length === 0) return { kind: "regular", step: isTime ? DAY : 1, origin };
  if (isTime) {
    const calendar = ofMonths(series) ?? ofBusinessDays(series, distances);
    if (calendar) return calendar;
  }
  const step = mode(distances);
  const whole = distances.filter((distance) => isWhole(distance / step));
  if (whole.length < REGULAR_SHARE * distances.length) {
    throw new DataError(
      `The stamps are not regular: the most common distance, ${span(step, isTime)}, fits ${whole.length} of ${distances.length}. Aggregate the rows to one per step first.${hintOfNumbers(isTime)}`,
    );
  }
  return { kind: "regular", step: isTime ? step : meanStep(whole, step), origin };
}

/** What may be meant by numbers that are no steps: months go up to 12, and a year that follows is far. */
export const hintOfNumbers = (isTime: boolean): string =>
  isTime
    ? ""
    : " If these numbers are dates, quarters or weeks, write them as 2015-01-31, 2015-01, 2015Q1 or 2015-W05.";

/**
 * Differences of fractions are off by what is left of their last digits: nine tenths less eight are no tenth. Months of
 * years in decimals are twelfths, however many digits they were written with.
 */
function meanStep(whole: readonly number[], step: number): number {
  let [sum, steps] = [0, 0];
  for (const distance of whole) {
    sum += distance;
    steps += Math.round(distance / step);
  }
  const parts = Math.round(steps / sum);
  return Math.abs(steps / sum - parts) < NEAR * parts
    ? 1 / parts
    : Number((sum / steps).toPrecision(STEP_DIGITS));
}

const isWhole = (value: number): boolean =>
  value > 0.5 && Math.abs(value - Math.round(value)) < 1e-6;

/** The commonest; of equally common ones the shortest. */
export function mode(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best = values[0];
  for (const [value, count] of counts) {
    const most = counts.get(best) ?? 0;
    if (count > most || (count === most && value < best)) best = value;
  }
  return best;
}

/** All stamps on one day of their months, or on the last one, at one time of day. */
function ofMonths(series: readonly Stamps[]): Frequency | null {
  const [first] = series;
  const { day, time } = partsOf(first.times[0]);
  let [isSame, isEnd] = [true, true];
  let origin = Number.POSITIVE_INFINITY;
  let step = 0;
  for (const { times } of series) {
    for (let i = 0; i < times.length; i++) {
      const at = partsOf(times[i]);
      if (at.time !== time) return null;
      isSame &&= at.day === day;
      isEnd &&= partsOf(times[i] + DAY).day === 1;
      if (!isSame && !isEnd) return null;
      origin = Math.min(origin, at.month);
      if (i > 0) step = divisor(step, at.month - partsOf(times[i - 1]).month);
    }
  }
  if (step === 0) return null;
  return { kind: "months", step, origin, day, end: isEnd, time };
}

function ofBusinessDays(series: readonly Stamps[], distances: readonly number[]): Frequency | null {
  if (mode(distances) !== DAY || !distances.includes(3 * DAY)) return null;
  const { time } = partsOf(series[0].times[0]);
  // Of local days, the evening is the day before in UTC, or early hours are the day after.
  const others = time === 0 ? [] : [time < DAY / 2 ? -1 : 1];
  const days = [0, ...others].find((shift) =>
    series.every(({ times }) =>
      times.every((at) => {
        const weekday = new Date(at + shift * DAY).getUTCDay();
        return weekday !== 0 && weekday !== 6 && partsOf(at).time === time;
      }),
    ),
  );
  return days === undefined ? null : { kind: "business_days", time: time - days * DAY };
}

/** `month` counts from January 1970; `day` from 1; `time` is milliseconds of the day. */
function partsOf(time: number): { month: number; day: number; time: number } {
  const date = new Date(time);
  return {
    month: (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth(),
    day: date.getUTCDate(),
    time: ((time % DAY) + DAY) % DAY,
  };
}

function divisor(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : divisor(b, a % b);
}

/** The place of a stamp among all steps there can be; not whole where it lies between two. */
export function stepOf(frequency: Frequency, time: number): number {
  switch (frequency.kind) {
    case "regular":
      return (time - frequency.origin) / frequency.step;
    case "months": {
      const at = partsOf(time);
      return (at.month - frequency.origin) / frequency.step;
    }
    case "business_days": {
      // Monday, 5 January 1970, is day 4; weekends count as the Friday before.
      const days = Math.floor(time / DAY) - Math.floor(frequency.time / DAY) - 4;
      const week = Math.floor(days / 7);
      return week * 5 + Math.min(4, days - week * 7);
    }
  }
}

export function timeOf(frequency: Frequency, step: number): number {
  switch (frequency.kind) {
    case "regular": {
      const time = frequency.origin + step * frequency.step;
      return Number.isInteger(frequency.step) ? time : Number(time.toPrecision(STEP_DIGITS));
    }
    case "months": {
      const month = frequency.origin + step * frequency.step;
      const last = Date.UTC(1970, month + 1, 0);
      const day = frequency.end
        ? last
        : Math.min(last, Date.UTC(1970, month, 1) + (frequency.day - 1) * DAY);
      return day + frequency.time;
    }
    case "business_days": {
      const week = Math.floor(step / 5);
      return (4 + week * 7 + (step - week * 5)) * DAY + frequency.time;
    }
  }
}

/** Fewer are no pattern of an hour: half hours would make theirs of two steps the season of all that reads the shortest one. */
const STEPS_OF_HOUR = 4;

/** Steps of a season that stamps of this frequency may have, ascending; numbers say none. */
export function calendarSeasons(frequency: Frequency, isTime: boolean): readonly number[] {
  if (!isTime) return [];
  switch (frequency.kind) {
    case "months":
      return 12 % frequency.step === 0 && frequency.step < 12 ? [12 / frequency.step] : [];
    case "business_days":
      return [5];
    case "regular": {
      const { step } = frequency;
      const cycles = STEPS_OF_HOUR * step <= HOUR ? [HOUR, DAY, 7 * DAY] : [DAY, 7 * DAY];
      const seasons = cycles.filter((cycle) => cycle / step >= 2 && isWhole(cycle / step));
      // A year is no whole number of weeks or days, but nearly one.
      if (step === 7 * DAY) return [52];
      return seasons.map((cycle) => Math.round(cycle / step));
    }
  }
}

const YEAR = 365.2425 * DAY;

/** Steps of a year where they are days or weeks; null of others: months divide it, and of shorter ones the horizon is. */
export function stepsOfYear(frequency: Frequency, isTime: boolean): number | null {
  if (!isTime) return null;
  switch (frequency.kind) {
    case "months":
      return null;
    case "business_days":
      return ((5 / 7) * YEAR) / DAY;
    case "regular": {
      const { step } = frequency;
      return step >= DAY && step <= 7 * DAY ? YEAR / step : null;
    }
  }
}

/** For people: `1 hour`, `3 months`. */
export function describeFrequency(frequency: Frequency, isTime: boolean): string {
  switch (frequency.kind) {
    case "months":
      return frequency.step % 12 === 0
        ? count(frequency.step / 12, "year")
        : count(frequency.step, "month");
    case "business_days":
      return "1 business day";
    case "regular":
      return span(frequency.step, isTime);
  }
}

const count = (number: number, unit: string): string =>
  `${number} ${unit}${number === 1 ? "" : "s"}`;

function span(step: number, isTime: boolean): string {
  if (!isTime) return String(Number(step.toPrecision(SHOWN_DIGITS)));
  for (const [length, unit] of [
    [7 * DAY, "week"],
    [DAY, "day"],
    [HOUR, "hour"],
    [MINUTE, "minute"],
    [SECOND, "second"],
  ] as const) {
    if (isWhole(step / length)) return count(Math.round(step / length), unit);
  }
  return count(step, "millisecond");
}
