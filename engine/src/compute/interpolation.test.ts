import fc from "fast-check";
import { expect, test } from "vitest";
import { interpolated } from "./interpolation.ts";

const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value + 0);
const curves = fc.uniqueArray(finite, { minLength: 1, maxLength: 20 }).chain((places) =>
  fc.record({
    knots: fc.constant(places.toSorted((a, b) => a - b)),
    values: fc.array(finite, { minLength: places.length, maxLength: places.length }),
    x: finite,
  }),
);

/** Every piece in turn. */
function slow(knots: readonly number[], values: readonly number[], x: number): number {
  const above = knots.findIndex((knot) => knot > x);
  if (above === 0) return values[0];
  if (above < 0) return values[values.length - 1];
  const share = (x - knots[above - 1]) / (knots[above] - knots[above - 1]);
  return values[above - 1] + share * (values[above] - values[above - 1]);
}

test("is what going through the pieces one by one gives, bit for bit", () => {
  fc.assert(
    fc.property(curves, ({ knots, values, x }) => {
      expect(interpolated(knots, values, x)).toBe(slow(knots, values, x));
      for (const [i, knot] of knots.entries()) {
        expect(interpolated(knots, values, knot)).toBe(values[i]);
      }
    }),
  );
});

test("is level beyond the knots and where there is no place", () => {
  expect(interpolated([1, 2], [3, 4], Number.NEGATIVE_INFINITY)).toBe(3);
  expect(interpolated([1, 2], [3, 4], Number.POSITIVE_INFINITY)).toBe(4);
  expect(interpolated([1, 2], [3, 4], Number.NaN)).toBe(3);
  expect(interpolated([5], [7], 6)).toBe(7);
});
