import fc from "fast-check";
import { expect, it } from "vitest";
import { lowerBound } from "./lower-bound.ts";

it("is where looking through the places one by one ends", () => {
  const number = fc.integer({ min: -9, max: 9 });
  fc.assert(
    fc.property(fc.array(number), number, fc.nat(5), fc.nat(5), (numbers, wanted, from, less) => {
      const ascending = numbers.toSorted((a, b) => a - b);
      const to = Math.max(from, ascending.length - less);
      fc.pre(to <= ascending.length);
      let place = from;
      while (place < to && ascending[place] < wanted) place++;
      expect(lowerBound(ascending, wanted, from, to)).toBe(place);
    }),
  );
  expect(lowerBound([1, 2, 2, 5], 2)).toBe(1);
  expect(lowerBound([], 2)).toBe(0);
});
