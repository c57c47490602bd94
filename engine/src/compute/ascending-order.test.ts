import fc from "fast-check";
import { expect, test } from "vitest";
import { ascendingOrder } from "./ascending-order.ts";

test("equals a stable comparison sort", () => {
  const number = fc.oneof(
    fc.double({ noNaN: true }),
    fc.constantFrom(0, -0, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    fc.integer({ min: -3, max: 3 }),
  );
  fc.assert(
    fc.property(fc.array(number, { maxLength: 300 }), (values) => {
      const slow = values
        .map((_, i) => i)
        .sort((a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : a - b));
      expect(Array.from(ascendingOrder(Float64Array.from(values)))).toEqual(slow);
    }),
  );
});
