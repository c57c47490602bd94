import { expect, test } from "vitest";
import { CompensatedSum } from "./compensated-sum.ts";

function sum(terms: Iterable<number>): number {
  const total = new CompensatedSum();
  for (const term of terms) total.add(term);
  return total.value;
}

test("keeps what a plain sum loses", () => {
  expect(sum([1, 1e100, 1, -1e100])).toBe(2);
  expect(sum(Array.from({ length: 1e6 }, () => 0.1))).toBe(1e5);
});

test("an infinite or NaN term stays one", () => {
  expect(sum([1, Number.POSITIVE_INFINITY, 2])).toBe(Number.POSITIVE_INFINITY);
  expect(sum([1, Number.NaN, 2])).toBeNaN();
});
