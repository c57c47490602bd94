/** Series of several time zones in one table, and stamps that are off by mistake. */

import { describe, expect, it } from "vitest";
import type { Table } from "../../data/table.ts";
import type { FramedTable, ReadOptions, SavedFrame } from "../framing.ts";
import { forecastingFraming } from "./framing.ts";
import { savedSeries } from "./request-context.ts";
import { instantIn, stampsOf } from "./testing/zoned-stamps.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Stores = Readonly<Record<string, readonly number[]>>;

/** Of each store its times; values are numbers from 0 on, or none. */
function tableOf(stores: Stores, value: (i: number) => number = (i) => i): Table {
  const rows = Object.entries(stores).flatMap(([store, times]) =>
    times.map((at, i) => ({ store, at, y: value(i) })),
  );
  return {
    rows: rows.length,
    columns: [
      { kind: "text", name: "store", values: rows.map(({ store }) => store) },
      { kind: "timestamp", name: "t", values: Float64Array.from(rows, ({ at }) => at) },
      { kind: "numeric", name: "y", values: Float64Array.from(rows, ({ y }) => y) },
    ],
  };
}

function framed(stores: Stores, more: Readonly<Record<string, unknown>> = {}): FramedTable {
  return forecastingFraming.frame(tableOf(stores), {
    ...{ rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 },
    task: { timeColumn: "t", horizon: 3, seriesColumns: ["store"], ...more },
  });
}

/** Of each series the times of its forecasts. */
function forecasts(saved: SavedFrame, table?: Table, options: ReadOptions = {}): Stores {
  const { keys } = forecastingFraming.read(table ?? { rows: 0, columns: [] }, saved, options);
  const found: Record<string, number[]> = {};
  for (const { series, time } of keys) {
    const { store = "total" }: { store?: string } = Object(series);
    found[store] = [...(found[store] ?? []), Date.parse(String(time))];
  }
  return found;
}

const each = <T>(zones: readonly string[], of: (zone: string) => T): Record<string, T> =>
  Object.fromEntries(zones.map((zone) => [zone, of(zone)]));

const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Sydney",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "America/Phoenix",
  "Etc/UTC",
  "Asia/Kathmandu",
];

describe("series of several time zones", () => {
  it.each([
    ["days", "2023-01-16", 500, "1 day"],
    ["weeks", "2022-01-03", 120, "1 week"],
    ["months", "2020-01-01", 48, "1 month"],
    ["six hours", "2024-01-10", 1000, "6 hours"],
    ["hours", "2024-01-10", 2000, "1 hour"],
  ] as const)("of %s have no gaps, and go on by their own clocks", (kind, from, count, step) => {
    const { saved, warnings, table } = framed(
      each(ZONES, (zone) => stampsOf(kind, zone, { from, count })),
    );
    expect(warnings).toEqual([]);
    expect(table.rows).toBe(count * ZONES.length);
    const calendar = forecastingFraming.calendar?.(saved);
    expect(calendar?.step).toBe(step);
    for (const [s, zone] of ZONES.entries()) {
      const own = stampsOf(kind, zone, { from, count });
      expect(own.map((_, i) => calendar?.timeOf(s, i))).toEqual(own);
    }
    const next = each(ZONES, (zone) => stampsOf(kind, zone, { from, count: 3, skip: count }));
    expect(forecasts(saved)).toEqual(next);
    const asked = tableOf(next, () => Number.NaN);
    expect(forecasts(saved, asked, { historyRows: 0 })).toEqual(next);
    expect(forecastingFraming.read(asked, saved, { historyRows: 0 }).warnings).toEqual([]);
  });

  it("have the calendar of their local days", () => {
    const count = 400;
    const { saved, table } = framed(
      each(ZONES, (zone) => stampsOf("days", zone, { from: "2023-01-16", count })),
    );
    const time = table.columns.find(({ name }) => name === "t");
    if (time?.kind !== "timestamp") throw new TypeError("no times");
    const days = Array.from({ length: count }, (_, i) => Date.UTC(2023, 0, 16) + i * DAY);
    expect([...time.values]).toEqual(ZONES.flatMap(() => days));
    const places = forecastingFraming.calendar?.(saved).seasonPlaces(7);
    for (const s of ZONES.keys()) expect(places?.names?.[places.of(s, 0)]).toBe("Mon");
  });

  it("keep their weekends, also at the close of their exchanges", () => {
    const closes = { "America/New_York": 16, "Europe/London": 16.5, "Asia/Tokyo": 15 };
    const days = Array.from({ length: 400 }, (_, i) => Date.UTC(2023, 1, 1) + i * DAY).filter(
      (wall) => ![0, 6].includes(new Date(wall).getUTCDay()),
    );
    const stores = Object.fromEntries(
      Object.entries(closes).map(([zone, hours]) => [
        zone,
        days.map((wall) => instantIn(zone, wall + hours * HOUR)),
      ]),
    );
    const { saved, warnings } = framed(stores);
    expect(warnings).toEqual([]);
    expect(savedSeries(saved).header.frequency.kind).toBe("business_days");
    const calendar = forecastingFraming.calendar?.(saved);
    for (const [s, times] of Object.values(stores).entries()) {
      expect(times.map((_, i) => calendar?.timeOf(s, i))).toEqual(times);
      const places = calendar?.seasonPlaces(5);
      expect(places?.names?.[places.of(s, 0)]).toBe("Wed");
    }
  });

  it("share what one of them shows of a clock", () => {
    const from = "2023-01-15";
    const ended = stampsOf("days", "Europe/Berlin", { from, count: 71 });
    expect(new Date(ended[70]).toISOString()).toBe("2023-03-25T23:00:00.000Z");
    const { saved } = framed({
      paris: stampsOf("days", "Europe/Paris", { from, count: 200 }),
      berlin: ended,
      "new york": stampsOf("days", "America/New_York", { from, count: 200 }),
    });
    expect(forecasts(saved).berlin).toEqual(
      stampsOf("days", "Europe/Berlin", { from, count: 3, skip: 71 }),
    );
  });

  it("are gone on with by ones that are new", () => {
    const from = "2023-01-15";
    const { saved } = framed(
      each(["Europe/Berlin", "America/New_York"], (zone) =>
        stampsOf("days", zone, { from, count: 300 }),
      ),
    );
    const zones = ["Europe/Madrid", "Asia/Tokyo", "America/Toronto", "Australia/Adelaide"];
    const history = each(zones, (zone) => stampsOf("days", zone, { from, count: 250 }));
    expect(forecasts(saved, tableOf(history))).toEqual(
      each(zones, (zone) => stampsOf("days", zone, { from, count: 3, skip: 250 })),
    );
    expect(() => forecasts(saved, tableOf({ x: [0, HOUR / 3, DAY, 2 * DAY] }))).toThrow(
      /steps of 1 day are at 1970-01-01T00:00:00.000Z and 1970-01-02/,
    );
  });

  it("sum up by their local days", () => {
    const stores = each(["Europe/Berlin", "America/New_York", "Asia/Kolkata"], (zone) =>
      stampsOf("days", zone, { from: "2023-01-15", count: 100 }),
    );
    const { saved } = framed(stores, { hierarchy: { levels: [[]], method: "bottom_up" } });
    const { trained, header } = savedSeries(saved);
    expect([...trained.target.subarray(trained.offsets[3])]).toEqual(
      Array.from({ length: 100 }, (_, i) => 3 * i),
    );
    expect(forecasts(saved).total.map((at) => new Date(at).toISOString().slice(0, 16))).toEqual([
      "2023-04-25T00:00",
      "2023-04-26T00:00",
      "2023-04-27T00:00",
    ]);
    expect(header.clocks?.of).toEqual([0, 1, 2, -1]);
    const one = framed(
      { a: stores["Europe/Berlin"], b: stores["Europe/Berlin"] },
      { hierarchy: { levels: [[]], method: "bottom_up" } },
    ).saved;
    const next = stampsOf("days", "Europe/Berlin", { from: "2023-01-15", count: 3, skip: 100 });
    expect(forecasts(one)).toEqual({ a: next, b: next, total: next });
  });

  it("may be at other times of day than those of zones", () => {
    const days = Array.from({ length: 60 }, (_, i) => Date.UTC(2024, 0, 1) + i * DAY);
    const at = (minutes: number): number[] => days.map((day) => day + minutes * 60_000);
    const { saved, warnings } = framed({ a: at(7), b: at(391), c: at(1200) });
    expect(warnings).toEqual([]);
    const next = (minutes: number): number[] =>
      [60, 61, 62].map((i) => days[0] + i * DAY + minutes * 60_000);
    expect(forecasts(saved)).toEqual({ a: next(7), b: next(391), c: next(1200) });
  });
});

it("hours of a clock that is changed by half an hour are those of its wall", () => {
  const walls = Array.from({ length: 6000 }, (_, i) => Date.UTC(2024, 0, 10) + i * HOUR);
  const zone = "Australia/Lord_Howe";
  // The clock that is put forward skips an hour.
  const times = [...new Set(walls.map((wall) => instantIn(zone, wall)))];
  const { saved, warnings } = framed({ a: times });
  expect(warnings.every((text) => /^1 of \d+ steps of 1 hour have no row/.test(text))).toBe(true);
  const next = [1, 2, 3].map((i) => times[times.length - 1] + i * HOUR);
  expect(forecasts(saved)).toEqual({ a: next });
});

describe("a stamp that is off by an hour", () => {
  const january = Array.from({ length: 60 }, (_, i) => Date.UTC(2024, 0, 1) + i * DAY);
  const off = (times: readonly number[], at: number, by = HOUR): number[] =>
    times.map((time, i) => (i === at ? time + by : time));
  const beside = /1 stamp lies an hour or less beside the others of its series, first row (\d+)/;

  it.each([
    ["last", 59, HOUR],
    ["last", 59, -HOUR],
    ["last", 59, HOUR / 2],
    ["first", 0, HOUR],
    ["middle", 30, -HOUR],
  ])("at the %s step of January and February, %i, by %i ms, changes no clock", (_, at, by) => {
    const { saved, warnings } = framed({ a: off(january, at, by), b: january });
    expect(warnings).toEqual([expect.stringMatching(beside)]);
    expect(warnings[0]).toContain(`first row ${at + 1} of the series "a", at 20`);
    expect(savedSeries(saved).header).not.toHaveProperty("clocks");
    const next = [60, 61, 62].map((i) => january[0] + i * DAY);
    expect(forecasts(saved)).toEqual({ a: next, b: next });
  });

  const berlin = stampsOf("days", "Europe/Berlin", { from: "2023-01-15", count: 300 });

  it.each([
    ["last", 299],
    ["first", 0],
    ["middle", 150],
  ])("at the %s step of a clock that is changed is moved to it", (_, at) => {
    const { saved, warnings } = framed({ a: off(berlin, at), b: berlin });
    expect(warnings).toEqual([expect.stringMatching(beside)]);
    const next = stampsOf("days", "Europe/Berlin", { from: "2023-01-15", count: 3, skip: 300 });
    expect(forecasts(saved)).toEqual({ a: next, b: next });
  });

  // Up to Monday, 1 April, the first midnight of summer.
  const spring = stampsOf("days", "Europe/Berlin", { from: "2023-12-01", count: 123 });

  it("where clocks are changed may be a change, and is told of where nothing else shows it", () => {
    const { saved, warnings } = framed({ a: spring });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^A series has stamps .* first row 123, at 2024-03-31T22:00:00Z: they are taken for those of a clock/,
      ),
    ]);
    expect(forecasts(saved)).toEqual({
      a: stampsOf("days", "Europe/Berlin", { from: "2023-12-01", count: 3, skip: 123 }),
    });
  });

  it("is a change where another series or an earlier year shows it", () => {
    expect(framed({ a: spring, b: spring }).warnings).toEqual([]);
    const long = stampsOf("days", "Europe/Berlin", { from: "2023-01-15", count: 443 });
    expect(new Date(long[442]).toISOString()).toBe("2024-03-31T22:00:00.000Z");
    expect(framed({ a: long }).warnings).toEqual([]);
    expect(framed({ a: long.slice(100) }).warnings).toEqual([]);
  });

  it("is none where another series of the clock shows the old one", () => {
    const early = off(spring.slice(0, 110), 109, -HOUR);
    const { warnings } = framed({ a: early, b: spring.slice(0, 122), c: january });
    expect(warnings).toContainEqual(expect.stringMatching(beside));
  });

  it("is told of where ten in a row are, at no time of changes", () => {
    const { warnings } = framed({ a: january.map((at, i) => (i >= 50 ? at + HOUR : at)) });
    expect(warnings).toEqual([expect.stringContaining("first row 51, at 2024-02-20T01:00:00Z")]);
  });

  it("is told of in a request as well, and not gone on with", () => {
    const { saved } = framed({ a: berlin });
    const next = stampsOf("days", "Europe/Berlin", { from: "2023-01-15", count: 3, skip: 300 });
    const read = (times: readonly number[]): readonly string[] =>
      forecastingFraming.read(tableOf({ a: times }), saved).warnings;
    expect(read(next)).toEqual([]);
    expect(read(off(next, 2, -HOUR))).toEqual([
      expect.stringContaining(
        'A row lies an hour beside the steps of 1 day, first Row 3 of the series "a", at 2023-11-12T22:00:00Z',
      ),
    ]);
    const after = stampsOf("days", "Europe/Berlin", { from: "2023-01-15", count: 3, skip: 303 });
    expect(forecasts(saved, tableOf({ a: off(next, 2, -HOUR) }))).toEqual({ a: after });
  });
});
