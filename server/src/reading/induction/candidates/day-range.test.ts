import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { locate } from "../locators/locate.ts";
import { dayRange } from "../values/day-range.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { keyValueCandidates } from "./key-value.ts";

const ends = (text: string) => {
  const range = dayRange(text, NEUTRAL_CONVENTIONS);
  return range === null ? null : [range.first.normal, range.last.normal];
};

describe("a range of days", () => {
  test.each([
    "01.10.2021 - 30.09.2022",
    "del 01/10/2021 al 30/09/2022",
    "from 1 October 2021 to 30 September 2022",
    "vom 1. Oktober 2021 bis zum 30. September 2022",
    "du 1er octobre 2021 au 30 septembre 2022",
    "01-10-2021 t/m 30-09-2022",
  ])("%s has two ends", (text) => {
    expect(ends(text)).toEqual(["2021-10-01", "2022-09-30"]);
  });

  test.each([
    "01.10.2021",
    "30.09.2022 - 01.10.2021",
    "01.10.2021, printed 30.09.2022",
    "01.10.2021 - 30.09.2022 in Bremen",
    "born 01.10.2021 to 30.09.2022",
  ])("%s is none", (text) => {
    expect(ends(text)).toBeNull();
  });

  test("is none in any text without two days", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 120 }), (text) => {
        const range = dayRange(text, NEUTRAL_CONVENTIONS);
        if (range !== null) expect(range.first.end).toBeLessThanOrEqual(range.last.start);
      }),
    );
  });

  test.each([
    "Billing period: 01.10.2021 - 30.09.2022",
    "Periodo dal 01.10.2021 al 30.09.2022",
    "For the period 1 October 2021 to 30 September 2022",
  ])("is two fields, each found again: %s", (text) => {
    const content = documentText(parseText("a.txt", text));
    const found = keyValueCandidates(
      [{ id: "a", name: "a.txt", hash: "a", content }],
      NEUTRAL_CONVENTIONS,
    );
    expect(found.map(({ finding }) => finding.normal)).toEqual(["2021-10-01", "2022-09-30"]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(2);
    const target = { kind: "date" as const, multiple: false, enum: [] };
    for (const { locator, finding } of found) {
      const [first] = locate(content, locator, target, NEUTRAL_CONVENTIONS);
      expect(first?.normal).toBe(finding.normal);
    }
  });
});
