import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortNumbers } from "./sort-numbers.ts";

const cell = fc.oneof(
  fc.double(),
  fc.float(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(-0, 0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324),
);

describe("sortNumbers", () => {
  it("agrees with the engine's own sort, whatever the numbers are", () => {
    fc.assert(
      fc.property(
        // Repeated and shifted, so that there are enough for the passes.
        fc.array(cell, { minLength: 1, maxLength: 40 }),
        fc.constantFrom(1, 0.1, 1000),
        fc.constantFrom(10, 2050, 5000),
        (cells, step, count) => {
          const values = Float64Array.from(
            { length: count },
            (_, i) => (cells[i % cells.length] ?? 0) + (i % 3) * step * (i % 7),
          );
          const wanted = values.slice().sort();
          const got = sortNumbers(values);
          expect(got.every((value, i) => Object.is(value, wanted[i]))).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("sorts a part of an array where it lies", () => {
    const whole = Float64Array.from({ length: 6000 }, (_, i) => Math.sin(i));
    const part = whole.subarray(1000, 5000);
    const wanted = Array.from(part).sort((a, b) => a - b);
    expect([...sortNumbers(part)]).toEqual(wanted);
    expect(whole[999]).toBe(Math.sin(999));
    expect(whole[5000]).toBe(Math.sin(5000));
  });
});
