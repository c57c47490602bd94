import fc from "fast-check";
import { expect, it } from "vitest";
import { decimalMark } from "./decimal-marks.ts";

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
