import { expect, it } from "vitest";
import { valueAt } from "./column-values.ts";

const histogram = { edges: [0, 10, 20, 30], counts: [5, 0, 5] };

it.each([
  [0, 0],
  [0.25, 5],
  [0.5, 10],
  [0.75, 25],
  [1, 30],
])("at place %f of the column is %f", (place, value) => {
  expect(valueAt(histogram, place)).toBeCloseTo(value, 9);
});

it("knows the last edge of a column without rows", () => {
  expect(valueAt({ edges: [1, 2], counts: [0] }, 0.5)).toBe(2);
});
