import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { windowsOf } from "./windows.ts";

const limits = { windowCharacters: 100, overlapCharacters: 20, windowsPerDocument: 4 };

describe("windowsOf", () => {
  it("shows a short text whole, and none of an empty one", () => {
    expect(windowsOf("a\nb", limits)).toEqual([{ start: 0, end: 3 }]);
    expect(windowsOf("", limits)).toEqual([]);
  });

  it("ends windows at line ends and lets them share lines", () => {
    const text = Array.from({ length: 20 }, (_, line) => `line ${line} of it`).join("\n");
    const windows = windowsOf(text, limits);
    expect(windows.length).toBeGreaterThan(2);
    for (const [index, { start, end }] of windows.entries()) {
      expect(start === 0 || text[start - 1] === "\n").toBe(true);
      expect(end === text.length || text[end] === "\n").toBe(true);
      if (index > 0) expect(start).toBeLessThan(windows[index - 1]!.end);
    }
  });

  it("covers any text up to its limits, and its end always", () => {
    const texts = fc.array(fc.constantFrom("word ", "\n", "x".repeat(37), "𝒳", "é"), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join("");
        const windows = windowsOf(text, limits);
        expect(windows.length).toBeLessThanOrEqual(limits.windowsPerDocument);
        if (text === "") return;
        expect(windows[0]!.start).toBe(0);
        expect(windows.at(-1)!.end).toBe(text.length);
        for (const [index, { start, end }] of windows.entries()) {
          expect(end).toBeGreaterThan(start);
          expect(end - start).toBeLessThanOrEqual(limits.windowCharacters);
          // Only the last may leave something out before it.
          if (index > 0 && index < limits.windowsPerDocument - 1) {
            expect(start).toBeLessThanOrEqual(windows[index - 1]!.end);
          }
          expect(text.slice(start, end).isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
