import fc from "fast-check";
import { expect, it } from "vitest";
import { lowerQuantile, nthSmallest } from "./weighted-quantile.ts";

const numbers = fc.array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.double({ noNaN: true })), {
  minLength: 1,
  maxLength: 200,
});

it("selects what a sort would put there", () => {
  fc.assert(
    fc.property(numbers, fc.nat(), (values, seed) => {
      const place = seed % values.length;
      const sorted = Float64Array.from(values).sort();
      expect(nthSmallest(Float64Array.from(values), place)).toBe(sorted[place]);
    }),
  );
});

function pinball(values: readonly number[], weights: readonly number[], q: number, level: number) {
  return values.reduce((sum, y, i) => {
    const rest = y - q;
    return sum + weights[i] * (rest >= 0 ? level * rest : (level - 1) * rest);
  }, 0);
}

it("has the least pinball loss of all values", () => {
  const row = fc.record({
    y: fc.integer({ min: -50, max: 50 }),
    w: fc.integer({ min: 0, max: 4 }),
  });
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 40 }).filter((rows) => rows.some(({ w }) => w > 0)),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.boolean(),
      (rows, level, weighted) => {
        const values = rows.map(({ y }) => y);
        const weights = rows.map(({ w }) => (weighted ? w : 1));
        const found = lowerQuantile(
          Float64Array.from(values),
          weighted ? Float64Array.from(weights) : null,
          level,
        );
        const least = Math.min(...values.map((q) => pinball(values, weights, q, level)));
        expect(pinball(values, weights, found, level)).toBeCloseTo(least, 9);
      },
    ),
  );
});

it("a weight is so many equal rows", () => {
  const values = Float64Array.of(5, 1, 3);
  expect(lowerQuantile(values, Float64Array.of(1, 2, 3), 0.5)).toBe(3);
  expect(lowerQuantile(Float64Array.of(5, 1, 1, 3, 3, 3), null, 0.5)).toBe(3);
  expect(
    lowerQuantile(
      Float64Array.from({ length: 10 }, (_, i) => i),
      null,
      0.1,
    ),
  ).toBe(0);
  expect(
    lowerQuantile(
      Float64Array.from({ length: 10 }, (_, i) => i),
      null,
      0.9,
    ),
  ).toBe(8);
});
