import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromRightToLeft, isRightToLeft, turned } from "./direction.ts";
import type { GlyphRun } from "./glyph-run.ts";
import { asLine } from "./line.ts";
import { lineOf, spanOfWords, wordsOf } from "./spans.ts";

/** Runs of six points a letter, each as it is read, from the right edge of the line on. */
function fromTheRight(...texts: readonly (readonly [text: string, gap: number])[]): GlyphRun[] {
  let right = 500;
  return texts.map(([text, gap]) => {
    const left = right - 6 * text.length;
    const run = { text, left, right, baseline: 100, size: 10, bold: false, confidence: null };
    right = left - gap;
    return run;
  });
}

const read = (runs: readonly GlyphRun[]) => {
  const row = runs.toSorted((a, b) => a.left - b.left);
  return asLine(lineOf(row)!).spans.map(({ text }) => text);
};

describe("a line that is read from right to left", () => {
  test("has its first word farthest right", () => {
    expect(read(fromTheRight(["חשבונית", 3], ["מספר:", 3], ["4400", 0]))).toEqual([
      "חשבונית מספר: 4400",
    ]);
    expect(read(fromTheRight(["رقم", 3], ["الفاتورة", 60], ["9900", 0]))).toEqual([
      "رقم الفاتورة",
      "9900",
    ]);
  });

  test("keeps the order of words of the other direction", () => {
    const runs = ["Acme", "Ltd"].map((text, index) => ({
      ...fromTheRight(["", 0])[0]!,
      text,
      left: 300 + 30 * index,
      right: 324 + 30 * index,
    }));
    const label = { ...runs[0]!, text: "לקוחותינו:", left: 360, right: 420 };
    expect(read([...runs, label])).toEqual(["לקוחותינו: Acme Ltd"]);
  });

  test("is told by most of its letters", () => {
    expect(isRightToLeft("תאריך: 01/03/2024")).toBe(true);
    expect(isRightToLeft("Invoice של")).toBe(false);
    expect(isRightToLeft("01/03/2024")).toBe(false);
  });

  test("has its parts turned where they were read from the left", () => {
    expect(turned("01/03/2024 :תאריך")).toBe("תאריך: 01/03/2024");
    expect(turned("7.50")).toBe("7.50");
  });

  test("loses nothing", () => {
    const text = fc.stringMatching(/^[אבג١٢ab0-9 :./,-]{0,20}$/u);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
        const placed = texts.map((each) => ({ text: each }));
        expect(new Set(fromRightToLeft(placed))).toEqual(new Set(placed));
        for (const each of texts) {
          expect([...turned(each)].sort()).toEqual([...each].sort());
        }
      }),
    );
  });

  test("parts into words at their places", () => {
    const line = lineOf(fromTheRight(["דנה כהן", 0]))!;
    const words = wordsOf(line.spans[0]!);
    expect(words.map(({ text }) => text)).toEqual(["כהן", "דנה"]);
    expect(words[0]!.right).toBeLessThan(words[1]!.left);
    expect(spanOfWords(words).map(({ text }) => text)).toEqual(["דנה כהן"]);
  });
});

test("a line that is read from left to right stays as it stands", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9.,:]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      expect(isRightToLeft(words.join(" "))).toBe(false);
    }),
  );
});
