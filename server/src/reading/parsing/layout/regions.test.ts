import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GlyphRun } from "./glyph-run.ts";
import { layOut } from "./lay-out.ts";
import { regionsOf } from "./regions.ts";

const run = fc
  .record({
    text: fc.constantFrom(
      "Total",
      "12.50",
      "and",
      "the buyer",
      " ",
      "$",
      "____",
      "x",
      "N",
      ".....",
    ),
    left: fc.integer({ min: 0, max: 120 }).map((tens) => tens * 5),
    baseline: fc.integer({ min: 1, max: 260 }).map((thirds) => thirds * 3),
    size: fc.constantFrom(6, 10, 14),
    bold: fc.boolean(),
    confidence: fc.constantFrom(null, 0.5),
  })
  .map((one): GlyphRun => ({ ...one, right: one.left + 0.5 * one.size * one.text.length }));

const page = (runs: readonly GlyphRun[]) => ({
  number: 1,
  width: 612,
  height: 792,
  regions: regionsOf(runs),
  apart: [],
});

describe("a page's layout", () => {
  it("depends on where runs stand, not on the order that they come in", () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (runs, keys) => {
        const keyed = runs.map((one) => ({ one, key: keys.next().value ?? 0 }));
        const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ one }) => one);
        expect(layOut([page(shuffled)])).toEqual(layOut([page(runs)]));
      }),
      { numRuns: 150 },
    );
  });

  it("holds every word in spans that are in order and not empty", () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 60 }), (runs) => {
        const lines = regionsOf(runs).flat();
        const words = new Set(lines.flatMap(({ text }) => text.split(/\s+/u)));
        for (const { text } of runs) {
          // Rules may be filled in, dots lead, and single letters make words.
          if (/^\w\w+$|^12.50$/u.test(text) && !text.startsWith("_")) {
            const isHeld = [...words].some((word) => word.includes(text));
            expect(isHeld).toBe(true);
          }
        }
        for (const { spans } of lines) {
          expect(spans.length).toBeGreaterThan(0);
          for (const [index, span] of spans.entries()) {
            expect(span.text).toBe(span.text.trim());
            expect(span.text).not.toBe("");
            if (index > 0) expect(span.left).toBeGreaterThanOrEqual(spans[index - 1]!.left);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
