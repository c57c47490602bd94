/** When steps are, and the places of seasons in the order of clock and calendar. */

import { describe, expect, it } from "vitest";
import type { SavedFrame } from "../framing.ts";
import { calendarOf } from "./calendar.ts";
import type { Frequency } from "./frequency.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** One series that begins so many steps after the frequency's origin. */
function savedOf(frequency: Frequency, start: number, isTime = true): SavedFrame {
  return {
    header: {
      label: "y",
      timeColumn: "t",
      isTime,
      frequency,
      horizon: 3,
      gap: 0,
      seasons: [],
      seriesColumns: ["shop", "item"],
      known: [{ name: "price", kind: "numeric" }],
      static: [],
      keys: [["north", "<b>"]],
    },
    tensors: { starts: Float64Array.of(start) },
  };
}

const HOURS: Frequency = { kind: "regular", step: HOUR, origin: Date.UTC(2031, 0, 1, 5) };
const DAYS: Frequency = { kind: "regular", step: DAY, origin: Date.UTC(2031, 0, 1) };
const MONTHS: Frequency = { kind: "months", step: 3, origin: 13, day: 1, end: false, time: 0 };

describe("the calendar of series", () => {
  it.each([
    ["hours of a day", HOURS, 24, 7, "00:00", "23:00"],
    ["hours of a week", HOURS, 168, 30, "Mon 00:00", "Sun 23:00"],
    ["days of a week", DAYS, 7, 11, "Mon", "Sun"],
    ["working days", { kind: "business_days", time: 0 } as const, 5, 3, "Mon", "Fri"],
    ["quarters of a year", MONTHS, 4, 2, "Feb", "Nov"],
  ] as const)("puts %s in their order", (_, frequency, season, start, first, last) => {
    const calendar = calendarOf(savedOf(frequency, start));
    const places = calendar.seasonPlaces(season);
    expect(places.names).toHaveLength(season);
    expect(places.names?.[0]).toBe(first);
    expect(places.names?.at(-1)).toBe(last);
    for (let offset = 0; offset < 3 * season; offset++) {
      const date = new Date(calendar.timeOf(0, offset));
      const clock = date.toISOString().slice(11, 16);
      const names = ["weekday", "month"].map((unit) =>
        date.toLocaleString("en-US", { [unit]: "short", timeZone: "UTC" }),
      );
      const own = places.names?.[places.of(0, offset)] ?? "";
      expect([clock, ...names, `${names[0]} ${clock}`]).toContain(own);
    }
  });

  it("numbers the places of any other season, also before the origin", () => {
    const numbered: Frequency = { kind: "regular", step: 1, origin: 0 };
    for (const calendar of [
      calendarOf(savedOf(numbered, -5, false)),
      calendarOf(savedOf(DAYS, -5)),
    ]) {
      const places = calendar.seasonPlaces(3);
      expect(places.names).toBeNull();
      expect([0, 1, 2, 3, 4, 5].map((offset) => places.of(0, offset))).toEqual([1, 2, 0, 1, 2, 0]);
    }
  });

  it("asks for a series by its columns, and says what is known ahead", () => {
    const calendar = calendarOf(savedOf(DAYS, 0));
    expect(calendar.askedAs(0)).toEqual({ series: [{ shop: "north", item: "<b>" }] });
    expect(calendar.knownAhead).toEqual(["price"]);
    expect(calendar.step).toBe("1 day");
  });
});
