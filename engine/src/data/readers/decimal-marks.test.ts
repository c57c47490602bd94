import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalMark, doubtSentence, isThousands, PointDoubt } from "./decimal-marks.ts";

it.each([
  ["1.5", "point"],
  ["-0.125", "point"],
  ["1,234.5", "point"],
  ["1234.567", "point"],
  ["1,5", "comma"],
  ["0,125", "comma"],
  ["1.234,56", "comma"],
  ["12345,678", "comma"],
  ["1.234", null],
  ["1,234", null],
  ["1.234.567", null],
  ["12", null],
  ["", null],
  ["1,2,3", null],
  ["1.2.3", null],
  ["a,5", null],
])("the mark of %s is %s", (text, mark) => {
  expect(decimalMark(text)).toBe(mark);
});

it("is that of the other way of writing, mirrored", () => {
  const text = fc.string({
    unit: fc.constantFrom("1", "0", "9", ".", ",", "-", "+"),
    maxLength: 12,
  });
  const mirrored = (written: string): string =>
    written.replace(/[.,]/g, (mark) => (mark === "." ? "," : "."));
  fc.assert(
    fc.property(text, (written) => {
      const mark = decimalMark(written);
      const other = { comma: "point", point: "comma" } as const;
      expect(decimalMark(mirrored(written))).toBe(mark === null ? null : other[mark]);
    }),
    { numRuns: 1000 },
  );
});

describe("points before three digits among decimal commas", () => {
  const doubtOf = (...texts: readonly string[]) => {
    const doubt = new PointDoubt();
    texts.forEach((text, at) => {
      doubt.add(text, at + 1);
    });
    return doubt.finish();
  };

  it.each([
    [["0,5", "1.234"], { among: "column", first: { text: "1.234", row: 2 }, cells: 1 }],
    [
      ["-12.345", "0,5", "+1.000"],
      { among: "column", first: { text: "-12.345", row: 1 }, cells: 2 },
    ],
    [["0,5", "1234,5"], null],
    // Another cell shows what points are.
    [["1.234", "1.234,5"], null],
    [["1.234.567", "0,5", "1.234"], null],
  ])("%j", (texts, doubt) => {
    expect(doubtOf(...texts)).toEqual(doubt);
  });

  it("are told with what they are read as, and what would be clear", () => {
    expect(doubtSentence(doubtOf("0,5", "1.234", "2.345")!, "in row 2")).toBe(
      'has numbers with a decimal comma, and "1.234" in row 2 and 1 more like it, read as 1234: no cell shows whether such points stand between thousands, as 1.234,5 would; if they are decimal points, write "1,234"',
    );
  });
});

it.each([
  ["7", true],
  ["-12.345", true],
  ["1.234.567", true],
  // No separators where there should be one, decimals, codes and zeros in front.
  ["1234", false],
  ["1.5", false],
  ["0.125", false],
  ["1.2345", false],
  ["1.234,5", false],
  ["01.234", false],
  ["", false],
])("%s is a whole number if points stand between thousands: %s", (text, is) => {
  expect(isThousands(text)).toBe(is);
});
