import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTimeOfDay, withoutTimes } from "./time-of-day.ts";

describe("the time of day beside a date", () => {
  test.each([
    " at 12:40",
    ", 14.30 Uhr",
    " 10:22 h",
    " à 09h15",
    " ore 8:05",
    " godz. 15:05",
    " 9:30 a.m.",
  ])("%s", (text) => {
    expect(isTimeOfDay(text)).toBe(true);
    expect(withoutTimes(`3 May 2024${text}`).trim()).toBe("3 May 2024");
  });

  test.each([" 3.50", " 12.30", "12:40 Lee", " 25:10", " 4 h", ""])("%s is none", (text) => {
    expect(isTimeOfDay(text)).toBe(false);
  });

  test("takes nothing but times from a text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const rest = withoutTimes(text);
        expect(rest.length).toBeLessThanOrEqual(text.length);
        if (!/\d/.test(text)) expect(rest).toBe(text);
      }),
    );
  });
});
