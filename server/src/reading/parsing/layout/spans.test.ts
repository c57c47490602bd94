import { expect, it } from "vitest";
import type { GlyphRun } from "./glyph-run.ts";
import { lineOf } from "./spans.ts";

/** Pairs of a rule and a word that is written on it, one behind the other. */
function filledRules(count: number): GlyphRun[] {
  const shared = { baseline: 400, size: 10, bold: false, confidence: null };
  return Array.from({ length: count }, (_, index) => index * 40).flatMap((left) => [
    { ...shared, text: "____", left, right: left + 30 },
    { ...shared, text: "word", left: left + 2, right: left + 22 },
  ]);
}

it("takes rules that are written on for lines of a form, of as many as a form may have", () => {
  const rulesOf = (count: number): number =>
    lineOf(filledRules(count))!.spans.filter(({ text }) => text.includes("_")).length;
  expect(rulesOf(500)).toBe(0);
  expect(rulesOf(501)).toBeGreaterThan(0);
});
