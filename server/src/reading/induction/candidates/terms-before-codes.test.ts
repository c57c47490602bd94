import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { termsBeforeCodes } from "./terms-before-codes.ts";

const named = (text: string): string[] =>
  termsBeforeCodes(text).map(({ label, from, to }) => `${label}=${text.slice(from, to)}`);

describe("codes that sentences name", () => {
  test.each([
    ["Please settle invoice F99898532 by 19 April 2025.", ["invoice=F99898532"]],
    ["1. Mahnung zu Rechnung RE588262 vom 22.11.2021", ["Rechnung=RE588262"]],
    ["relance pour la facture n° F82130359 du 07/07/2023", ["facture n°=F82130359"]],
    ["Overdue since January 2025 for 48519.92", []],
    ["Qualm Zorb F99898532", []],
    ["Date 20250419", []],
  ])("of %j are %j", (text, pairs) => {
    expect(named(text)).toEqual(pairs);
  });

  test("stand where they say, behind their label", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("invoice ", "no. ", "F99898532", " ", "order ", "123456", ", ", "x"),
        ),
        (parts) => {
          const text = parts.join("");
          for (const { label, from, to } of termsBeforeCodes(text)) {
            expect(to).toBeGreaterThan(from);
            expect(text.slice(0, from).trimEnd().endsWith(label)).toBe(true);
          }
        },
      ),
    );
  });
});
