import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { namesIn } from "./name-list.ts";

function names(text: string): string[] {
  return namesIn(text).map(({ start, end }) => text.slice(start, end));
}

describe("the names of an enumeration", () => {
  test.each([
    [
      'Acme Tools, Inc., a Delaware corporation (the "Company"), and Jane Q. Roe ("Employee").',
      ["Acme Tools, Inc.", "Jane Q. Roe"],
    ],
    [
      "Northern Widgets Pty Ltd, having its place of business at 12 High Street, Suite 5, Leeds (“Seller”) and Southern Mills LLC, a company of Ohio (“Buyer”)",
      ["Northern Widgets Pty Ltd", "Southern Mills LLC"],
    ],
    [
      "Alpha Bank of Utrecht and Smith & Sons, L.P.",
      ["Alpha Bank of Utrecht", "Smith & Sons, L.P."],
    ],
    ["Brown and Company, Inc. and A. Green", ["Brown and Company, Inc.", "A. Green"]],
    [
      "Ann Lee, Chair; Bob K. Hay, Vice Chair; Carl Orr, Jr.; and Dee Poe.",
      ["Ann Lee", "Bob K. Hay", "Carl Orr, Jr.", "Dee Poe"],
    ],
    [
      "ALPHA HOLDINGS LIMITED (“Alpha”), BETA ASA, a company (“Beta”), and JOINT STOCK COMPANY “STAR” (“Star”)",
      ["ALPHA HOLDINGS LIMITED", "BETA ASA", "JOINT STOCK COMPANY “STAR”"],
    ],
    ["Acme Corporation 780 Main Street", ["Acme Corporation"]],
    ["ACME MICRO AND NORTHERN GEAR", ["ACME MICRO", "NORTHERN GEAR"]],
    ["Acme LLC of 1565N. Central Road, Suite 5", ["Acme LLC"]],
    ["iTools Corporation, (“Seller”) and Roe Ltd", ["iTools Corporation", "Roe Ltd"]],
    ["Jane Roe (“Employee”) Acme Tools, Inc., its affiliates", ["Jane Roe", "Acme Tools, Inc."]],
    ["Eve Fox, who preferred an increase", ["Eve Fox"]],
  ])("%j", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  test.each([
    "the parties hereto",
    "you and the Company",
    "residents of that State",
    "the Company and the Distributor",
    "",
    "this Agreement and any other agreement",
  ])("%j has none", (text) => {
    expect(names(text)).toEqual([]);
  });

  test("are in order, apart and within the text, whatever it is", () => {
    const piece = fc.constantFrom(
      "Acme",
      "Inc.",
      ",",
      "and",
      "(",
      ")",
      "“X”",
      ";",
      "of",
      "7",
      "a",
      "&",
      "Jr",
      "the",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join(" ");
        let last = 0;
        for (const { start, end } of namesIn(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 300 },
    );
  });
});
