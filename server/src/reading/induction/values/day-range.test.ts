import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isoDate } from "./calendar.ts";
import { dayRange } from "./day-range.ts";
import { NEUTRAL_CONVENTIONS } from "./value.ts";

const ends = (text: string): unknown[] | null => {
  const range = dayRange(text, { ...NEUTRAL_CONVENTIONS, dayFirst: true });
  return range === null ? null : [range.first.normal, range.last.normal];
};

describe("a period between two days", () => {
  test.each([
    "From 00:01 on 3 May 2024 to 23:59 on 2 May 2025",
    "03.05.2024, 12:00 Uhr bis 02.05.2025, 12:00 Uhr",
    "dal 03/05/2024 ore 0:00 al 02/05/2025 ore 24:00",
    "du 03/05/2024 à 00h00 au 02/05/2025 à 23h59",
  ])("%s", (text) => {
    expect(ends(text)).toEqual(["2024-05-03", "2025-05-02"]);
  });

  test("is none of two days that other words are between", () => {
    expect(ends("3 May 2024 12:00 paid 2 May 2025")).toBeNull();
  });

  test("is the same with times and without", () => {
    const day = fc.integer({ min: 1, max: 28 });
    const hour = fc.integer({ min: 0, max: 23 });
    fc.assert(
      fc.property(day, day, hour, hour, (a, b, h, k) => {
        const two = (n: number): string => `${n}`.padStart(2, "0");
        const text = `${two(a)}.04.2024 ${two(h)}:15 - ${two(b)}.05.2024 ${two(k)}:45`;
        expect(ends(text)).toEqual([isoDate(2024, 4, a), isoDate(2024, 5, b)]);
      }),
    );
  });
});
