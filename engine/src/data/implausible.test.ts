import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { implausibleValues } from "./implausible.ts";

const told = (values: readonly number[], kind: "numeric" | "timestamp" = "numeric") =>
  implausibleValues({ kind, name: "x" }, Float64Array.from(values).sort());
/** Of a normal distribution, by its quantiles. */
const bell = Array.from({ length: 200 }, (_, i) => {
  const p = (i + 0.5) / 200;
  return 50 + 5 * Math.log(p / (1 - p));
});

describe("values that are hardly meant", () => {
  it("are marks of nines beside a distribution, infinities, and slips behind a gap", () => {
    expect(told([...bell, -999, -999, -999])).toMatchObject([
      { kind: "missing_mark", value: -999, count: 3 },
    ]);
    expect(told([...bell, Number.POSITIVE_INFINITY])).toMatchObject([
      { kind: "infinite", count: 1, value: "Infinity" },
    ]);
    expect(told([...bell, 5000])).toMatchObject([
      { kind: "far_value", value: 5000, count: 1, message: expect.stringMatching(/"x" is 5000/) },
    ]);
    expect(told([...bell, -4000, -4100])).toMatchObject([{ value: -4100, count: 2 }]);
    // One slip does not hide behind a larger one.
    const [{ message: both, ...two }] = told([...bell, 4e5, 2e7]);
    expect(two).toMatchObject({ value: 2e7, count: 2 });
    expect(both).toMatch(/"x" is 20000000 in 2 rows \(the least far 400000\), /);
    const [{ message }] = told([...bell.map((value) => (value - 50) / 100 + 0.1 + 0.2), 5000]);
    expect(message).toMatch(/, \d+ robust deviations from the median 0\.\d{1,6} and far beyond/);
  });

  it("are times of other centuries, and a value that is nearly all there is", () => {
    const day = 86_400_000;
    const days = Array.from({ length: 50 }, (_, i) => Date.UTC(2024, 0, 1) + i * day);
    expect(
      told([...days, Date.UTC(1700, 0, 1), Date.UTC(2999, 11, 31)], "timestamp"),
    ).toMatchObject([
      { kind: "out_of_time", value: "1700-01-01" },
      { kind: "out_of_time", value: "2999-12-31" },
    ]);
    expect(told([...new Array<number>(1000).fill(0), 1, 2, 3])).toMatchObject([
      { kind: "almost_constant", value: 0, count: 1000 },
    ]);
  });

  it("are none of long tails, of few values, of grades and of numbers of two values", () => {
    const tail = Array.from({ length: 500 }, (_, i) => Math.exp(i / 60));
    expect(told(tail)).toEqual([]);
    expect(told([1, 2, 3, 9999])).toEqual([]);
    expect(told(Array.from({ length: 300 }, (_, i) => i % 100))).toEqual([]);
    expect(told([...new Array<number>(1000).fill(0), 1])).toEqual([]);
    expect(told([])).toEqual([]);
  });

  it("are the same however the column is shifted and scaled", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 40, maxLength: 80 }),
        fc.integer({ min: -10, max: 10 }),
        (values, power) => {
          const kinds = (all: readonly number[]) =>
            told(all)
              .filter(({ kind }) => kind === "far_value")
              .map(({ count }) => count);
          const even = values.map((value) => value * 2);
          expect(kinds(even.map((value) => value * 2 ** power))).toEqual(kinds(even));
        },
      ),
    );
  });
});
