import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { DataError } from "../../data/table.ts";
import {
  calendarSeasons,
  describeFrequency,
  inferFrequency,
  stepOf,
  stepsOfYear,
  timeOf,
} from "./frequency.ts";

const stamps = (...times: string[]) => ({ name: "s", times: Float64Array.from(times, Date.parse) });
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Stamps of so many steps of a kind, from some day on. */
const KINDS = {
  hours: (start: number, i: number) => start + i * HOUR,
  "half hours": (start: number, i: number) => start + (i * HOUR) / 2,
  days: (start: number, i: number) => start + i * DAY,
  weeks: (start: number, i: number) => start + i * 7 * DAY,
  months: (start: number, i: number) => Date.UTC(new Date(start).getUTCFullYear(), i, 5),
  "ends of months": (start: number, i: number) =>
    Date.UTC(new Date(start).getUTCFullYear(), i + 1, 0),
  quarters: (start: number, i: number) => Date.UTC(new Date(start).getUTCFullYear(), 3 * i, 1),
  years: (start: number, i: number) => Date.UTC(new Date(start).getUTCFullYear() + i, 0, 1),
} as const;

describe.each(Object.entries(KINDS))("%s", (_, at) => {
  it("are counted one after the other and found again, with gaps or without", () => {
    const start = fc.integer({ min: 0, max: 20_000 }).map((days) => days * DAY);
    const kept = fc.array(fc.boolean(), { minLength: 12, maxLength: 40 });
    fc.assert(
      fc.property(start, kept, (from, keep) => {
        // The first steps all stand, so that the step is the commonest distance.
        const all = keep.map((_each, i) => at(from, i));
        const seen = all.filter((_each, i) => i < 8 || keep[i]);
        const frequency = inferFrequency([{ name: "s", times: Float64Array.from(seen) }], true);
        const first = stepOf(frequency, seen[0]);
        for (const [i, time] of all.entries()) {
          expect(stepOf(frequency, time) - first).toBeCloseTo(i, 9);
          expect(timeOf(frequency, Math.round(stepOf(frequency, time)))).toBe(time);
        }
      }),
    );
  });
});

it("are Mondays to Fridays where no stamp lies on a weekend", () => {
  const days = Array.from({ length: 30 }, (_, i) => Date.UTC(2024, 0, 1 + i)).filter(
    (time) => ![0, 6].includes(new Date(time).getUTCDay()),
  );
  const frequency = inferFrequency([{ name: "s", times: Float64Array.from(days) }], true);
  expect(frequency.kind).toBe("business_days");
  const steps = days.map((time) => stepOf(frequency, time));
  for (const [i, step] of steps.entries()) {
    expect(step - steps[0]).toBe(i);
    expect(timeOf(frequency, step)).toBe(days[i]);
  }
});

test.each([
  [["2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z", "2024-01-01T02:00:00Z"], [24, 168], "1 hour"],
  [["2024-01-01T00:00Z", "2024-01-01T00:30Z", "2024-01-01T01:00Z"], [48, 336], "30 minutes"],
  [["2024-01-01T00:00Z", "2024-01-01T00:20Z", "2024-01-01T00:40Z"], [72, 504], "20 minutes"],
  [["2024-01-01T00:00Z", "2024-01-01T00:15Z", "2024-01-01T00:30Z"], [4, 96, 672], "15 minutes"],
  [["2024-01-01T00:00Z", "2024-01-01T12:00Z", "2024-01-02T00:00Z"], [2, 14], "12 hours"],
  [["2024-01-01", "2024-02-01", "2024-03-01"], [12], "1 month"],
  [["2024-01-31", "2024-02-29", "2024-03-31"], [12], "1 month"],
  [["2024-01-01", "2024-04-01", "2024-07-01"], [4], "3 months"],
  [["2022-01-01", "2023-01-01", "2024-01-01"], [], "1 year"],
  [["2024-01-01", "2024-01-08", "2024-01-15"], [52], "1 week"],
  [["2024-01-01", "2024-01-02", "2024-01-03"], [7], "1 day"],
  [
    ["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.250Z", "2024-01-01T00:00:00.500Z"],
    [14_400, 345_600, 2_419_200],
    "250 milliseconds",
  ],
])("%j has the seasons %j and is said as %s", (times, seasons, said) => {
  const frequency = inferFrequency([stamps(...times)], true);
  expect(calendarSeasons(frequency, true)).toEqual(seasons);
  expect(describeFrequency(frequency, true)).toBe(said);
});

it.each([
  [["2024-01-01", "2024-01-02", "2024-01-03"], 365.2425],
  [["2024-01-01", "2024-01-08", "2024-01-15"], 365.2425 / 7],
  // Monday to Friday.
  [["2024-01-04", "2024-01-05", "2024-01-08", "2024-01-09", "2024-01-10"], (365.2425 * 5) / 7],
  // Twelve months are a year as they are, and the year of an hour is far away.
  [["2024-01-01", "2024-02-01", "2024-03-01"], null],
  [["2024-01-01T00:00Z", "2024-01-01T01:00Z", "2024-01-01T02:00Z"], null],
])("steps of %j have a year of %j", (times, year) => {
  const steps = stepsOfYear(inferFrequency([stamps(...times)], true), true);
  if (year === null) expect(steps).toBeNull();
  else expect(steps).toBeCloseTo(year, 9);
});

it("years in decimals have steps of a twelfth, which stay whole years however long they go on", () => {
  const times = Float64Array.from({ length: 144 }, (_, i) => Number((1949 + i / 12).toFixed(11)));
  const frequency = inferFrequency([{ name: "", times }], false);
  expect(frequency).toEqual({ kind: "regular", step: 1 / 12, origin: 1949 });
  expect(describeFrequency(frequency, false)).toBe("0.0833333");
  expect([144, 156, 1200].map((step) => timeOf(frequency, step))).toEqual([1961, 1962, 2049]);
  for (const [step, time] of times.entries()) {
    expect(stepOf(frequency, time)).toBeCloseTo(step, 6);
    expect(timeOf(frequency, step)).toBeCloseTo(time, 8);
  }
});

it("numbers have a step and no calendar", () => {
  const frequency = inferFrequency([{ name: "s", times: Float64Array.of(10, 15, 20, 30) }], false);
  expect(stepOf(frequency, 25)).toBe(3);
  expect(calendarSeasons(frequency, false)).toEqual([]);
  expect(stepsOfYear(frequency, false)).toBeNull();
});

it("stamps without a common step are refused, and told to be aggregated", () => {
  const times = Float64Array.of(0, 7, 19, 23, 41, 58, 60, 99);
  expect(() => inferFrequency([{ name: "s", times }], false)).toThrow(DataError);
  expect(() => inferFrequency([{ name: "s", times }], false)).toThrow(/Aggregate the rows/);
});

it("fractions have the step that they were written with", () => {
  const times = Float64Array.from({ length: 100 }, (_, i) => Number((i * 0.1).toFixed(1)));
  const frequency = inferFrequency([{ name: "s", times }], false);
  expect(frequency).toEqual({ kind: "regular", step: 0.1, origin: 0 });
  expect(timeOf(frequency, 100)).toBe(10);
});
