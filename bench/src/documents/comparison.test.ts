import { describe, expect, it } from "vitest";
import { isSame } from "./comparison.ts";
import { parseCsv } from "./csv.ts";

describe("gold answers", () => {
  it("are exact after both are brought to one form", () => {
    expect(isSame("date", "2018-12-25", "25/12/2018")).toBe(true);
    expect(isSame("date", "2018-12-24", "25/12/2018")).toBe(false);
    expect(isSame("month-first-date", "2018-03-29", "3/29/18")).toBe(true);
    expect(isSame("amount", 1234.5, "1,234.50")).toBe(true);
    expect(isSame("amount", 1234.6, "1,234.50")).toBe(false);
    expect(isSame("letters", "ABC Ho, Trading", "abc ho trading")).toBe(true);
    expect(isSame("letters", "ABC Ho", "abc ho trading")).toBe(false);
    expect(isSame("place", "the State of Delaware", "Delaware")).toBe(true);
    expect(isSame("duration", "P2Y", "2 years")).toBe(true);
    expect(isSame("duration", "P3Y", "2 years")).toBe(false);
    expect(isSame("yes-no", true, "Yes")).toBe(true);
    expect(isSame("yes-no", true, "No")).toBe(false);
  });

  it("of several names are sets of them", () => {
    expect(isSame("names", "Nike, Inc.; Ann Lee", "Ann Lee; Nike Inc.")).toBe(true);
    expect(isSame("names", "Nike, Inc.", "Ann Lee; Nike Inc.")).toBe(false);
  });
});

describe("gold files", () => {
  it("are read with their quotes, commas and line ends", () => {
    expect(parseCsv('a, b\r\n"x, ""y""",1\n"two\nlines",\n')).toEqual([
      { a: 'x, "y"', b: "1" },
      { a: "two\nlines", b: "" },
    ]);
  });
});
