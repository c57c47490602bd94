/** Series by local clocks that are put forward and back: laid, gone on with, and asked for. */

import { describe, expect, it } from "vitest";
import type { Column, Table } from "../../data/table.ts";
import type { FramedTable, ReadOptions, SavedFrame } from "../framing.ts";
import { forecastingFraming } from "./framing.ts";
import { headerSchema } from "./header.ts";
import { openRequest, savedSeries } from "./request-context.ts";
import { clocksOf } from "./series-clocks.ts";
import { instantIn, stampsOf } from "./testing/zoned-stamps.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const timeColumn = (times: readonly number[]): Column => ({
  kind: "timestamp",
  name: "t",
  values: Float64Array.from(times),
});
const tableOf = (times: readonly number[], y: readonly number[]): Table => ({
  rows: times.length,
  columns: [timeColumn(times), { kind: "numeric", name: "y", values: Float64Array.from(y) }],
});

function framed(times: readonly number[], horizon = 3): FramedTable {
  return forecastingFraming.frame(
    tableOf(
      times,
      times.map((_, i) => i),
    ),
    {
      ...{ rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 },
      task: { timeColumn: "t", horizon },
    },
  );
}

function timesAsked(saved: SavedFrame, table?: Table, options: ReadOptions = {}): unknown[] {
  const rows = table ?? { rows: 0, columns: [] };
  return forecastingFraming.read(rows, saved, options).keys.map(({ time }) => time);
}

const iso = (times: readonly number[]): string[] => times.map((at) => new Date(at).toISOString());
const NONE = Number.NaN;

const ZONES = [
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "Australia/Sydney",
  "Pacific/Auckland",
  "Australia/Lord_Howe",
];

describe.each(ZONES)("a regular series in %s", (zone) => {
  it.each([
    ["days", "2023-01-15", 500, "1 day"],
    ["weeks", "2022-01-03", 120, "1 week"],
    ["months", "2020-01-01", 48, "1 month"],
    ["six hours", "2024-01-10", 1200, "6 hours"],
    ["hours", "2024-01-10", 4000, "1 hour"],
  ] as const)("of %s has no gaps, and goes on by the last clock", (kind, from, count, step) => {
    const times = stampsOf(kind, zone, { from, count });
    const { saved, warnings, table } = framed(times);
    expect(warnings).toEqual([]);
    expect(table.rows).toBe(count);
    expect(forecastingFraming.calendar?.(saved).step).toBe(step);
    const calendar = forecastingFraming.calendar?.(saved);
    expect(times.map((_, i) => calendar?.timeOf(0, i))).toEqual(times);
    // The three steps that follow lie before the next change here.
    const next = stampsOf(kind, zone, { from, count: 3, skip: count });
    expect(timesAsked(saved)).toEqual(iso(next));
  });

  it("calls its days as its clock does", () => {
    const monday = "2023-01-16";
    const { saved } = framed(stampsOf("days", zone, { from: monday, count: 400 }));
    const places = forecastingFraming.calendar?.(saved).seasonPlaces(7);
    expect(places?.names?.[places.of(0, 0)]).toBe("Mon");
    expect(places?.names?.[places.of(0, 398)]).toBe("Sun");
  });

  it("keeps its weekends", () => {
    const isWorkday = (wall: number): boolean => ![0, 6].includes(new Date(wall).getUTCDay());
    const days = Array.from({ length: 400 }, (_, i) => Date.UTC(2023, 1, 1) + i * DAY);
    const times = days.filter(isWorkday).map((wall) => instantIn(zone, wall));
    const { saved, warnings } = framed(times);
    expect(warnings).toEqual([]);
    expect(savedSeries(saved).header.frequency.kind).toBe("business_days");
    const calendar = forecastingFraming.calendar?.(saved);
    expect(times.map((_, i) => calendar?.timeOf(0, i))).toEqual(times);
    expect(calendar?.seasonPlaces(5).names).toEqual(["Mon", "Tue", "Wed", "Thu", "Fri"]);
  });
});

describe("a request across a change of the clock", () => {
  const zone = "Europe/Berlin";
  const times = stampsOf("days", zone, { from: "2023-12-01", count: 121 });
  const next = stampsOf("days", zone, { from: "2023-12-01", count: 3, skip: 121 });
  const { saved } = framed(times);

  it("goes on by the last clock where no row says another", () => {
    expect(iso(times).at(-1)).toBe("2024-03-29T23:00:00.000Z");
    expect(timesAsked(saved)).toEqual([
      "2024-03-30T23:00:00.000Z",
      "2024-03-31T23:00:00.000Z",
      "2024-04-01T23:00:00.000Z",
    ]);
    expect(savedSeries(saved).header).not.toHaveProperty("clocks");
  });

  it("takes the sender's next stamps, and answers at these, with a word where training saw no change", () => {
    expect(iso(next)[1]).toBe("2024-03-31T22:00:00.000Z");
    const rows = tableOf(next, [NONE, NONE, NONE]);
    expect(timesAsked(saved, rows, { historyRows: 0 })).toEqual(iso(next));
    expect(forecastingFraming.read(rows, saved, { historyRows: 0 }).warnings).toEqual([
      "2 rows lie an hour beside the steps of 1 day, first future[1], at 2024-03-31T22:00:00Z: they are taken as stamps by a clock that was put forward or back.",
    ]);
    // By the clock of winter, too.
    const winter = [0, 1, 2].map((i) => times[120] + (i + 1) * DAY);
    expect(timesAsked(saved, tableOf(winter, [NONE, NONE, NONE]))).toEqual(iso(winter));
  });

  it("goes on by the clock of the history that it brings", () => {
    const rows = tableOf(next.slice(0, 2), [7, 8]);
    const read = forecastingFraming.read(rows, saved);
    expect(read.frame.kind === "series" && [...read.frame.target].slice(120, 123)).toEqual([
      120, 7, 8,
    ]);
    expect(read.keys.map(({ time }) => time)).toEqual([
      "2024-04-01T22:00:00.000Z",
      "2024-04-02T22:00:00.000Z",
      "2024-04-03T22:00:00.000Z",
    ]);
  });

  it("knows the changes of training, and says nothing of them", () => {
    const all = stampsOf("days", zone, { from: "2023-12-01", count: 200 });
    const over = framed(all).saved;
    const history = tableOf(all.slice(115, 119), [1, 2, 3, 4]);
    // Forecasts from within the training data: the first of them before the change that it saw.
    const expected = iso(all.slice(119, 122));
    expect(expected.map((time) => time.slice(11, 13))).toEqual(["23", "23", "23"]);
    expect(timesAsked(over, history)).toEqual(expected);
    expect(timesAsked(over, tableOf(all.slice(116, 121), [1, 2, 3, 4, 5]))).toEqual(
      iso(all.slice(121, 124)),
    );
    const future = stampsOf("days", zone, { from: "2023-12-01", count: 2, skip: 200 });
    expect(forecastingFraming.read(tableOf(future, [NONE, NONE]), over).warnings).toEqual([]);
  });

  it("still refuses other times between steps, and an hour beside steps of hours", () => {
    const asked = (at: number, of = saved) => timesAsked(of, tableOf([at], [NONE]));
    expect(() => asked(next[0] + 2 * HOUR)).toThrow(/steps of 1 day are at/);
    expect(() => asked(next[0] + HOUR / 2)).toThrow(/steps of 1 day are at/);
    const hours = framed(stampsOf("hours", zone, { from: "2024-01-10", count: 50 })).saved;
    expect(() => asked(times[120], hours)).toThrow(/steps after/);
  });
});

describe("stamps by no such clock", () => {
  const days = Array.from({ length: 200 }, (_, i) => Date.UTC(2024, 0, 1) + i * DAY);

  it.each([
    ["at one time of day", days],
    ["an hour late every other week", days.map((at, i) => at + (Math.floor(i / 7) % 2) * HOUR)],
    ["two hours late from some day on", days.map((at, i) => at + Number(i > 90) * 2 * HOUR)],
    ["at any time of day", days.map((at, i) => at + ((i * 7919) % 86_400) * 1000)],
  ])("%s change no clock", (_, times) => {
    expect(clocksOf([{ name: "s", times: Float64Array.from(times) }]).clocks).toEqual([]);
  });
});

describe("reads models of former versions", () => {
  it("that kept no clocks", () => {
    const { saved } = framed(Array.from({ length: 20 }, (_, i) => Date.UTC(2024, 0, 1) + i * DAY));
    const header = headerSchema.parse(saved.header);
    expect(header).not.toHaveProperty("clocks");
    expect(openRequest({ rows: 0, columns: [] }, saved, {}).header).toEqual(header);
  });

  it("that kept one clock of all series, beside that of winter in UTC", () => {
    const times = stampsOf("days", "Europe/Berlin", { from: "2023-01-16", count: 400 });
    const { saved } = framed(times);
    const { clocks, frequency, ...header } = headerSchema.parse(saved.header);
    if (frequency.kind !== "regular") throw new TypeError("days are regular");
    const former: SavedFrame = {
      ...saved,
      header: {
        ...header,
        frequency: { ...frequency, origin: frequency.origin - HOUR },
        clock: clocks?.each[0].map(({ step, shift }) => ({ step, shift: shift + HOUR })),
      },
    };
    const [calendar, same] = [former, saved].map((of) => forecastingFraming.calendar?.(of));
    expect(times.map((_, i) => calendar?.timeOf(0, i))).toEqual(times);
    expect(calendar?.seasonPlaces(7).names).toEqual(same?.seasonPlaces(7).names);
    expect(calendar?.seasonPlaces(7).of(0, 0)).toBe(same?.seasonPlaces(7).of(0, 0));
    const next = stampsOf("days", "Europe/Berlin", { from: "2023-01-16", count: 3, skip: 400 });
    expect(timesAsked(former)).toEqual(iso(next));
    expect(timesAsked(former, tableOf(next, [NONE, NONE, NONE]))).toEqual(iso(next));
  });
});
