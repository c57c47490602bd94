/** How long a job may still take. */

import { expect, it } from "vitest";
import { secondsLeft } from "./progress.ts";

it("is told by the shares that are done, once they tell something", () => {
  expect(secondsLeft("induction", "waiting", 1, 2, 5)).toBeNull();
  expect(secondsLeft("induction", "reading", 1, 100, 5)).toBeNull();
  // Half of the reading is a tenth of all: nine times as long is left.
  expect(secondsLeft("induction", "reading", 5, 10, 2)).toBe(18);
  expect(secondsLeft("extraction", "extracting", 10, 10, 9)).toBe(1);
  expect(secondsLeft("extraction", "extracting", 0, 0, 1)).toBe(9);
  expect(secondsLeft("extraction", "done", 1, 1, 9)).toBe(0);
});

it("never grows as a phase goes on at one pace", () => {
  const left = Array.from({ length: 10 }, (_, at) =>
    secondsLeft("extraction", "extracting", at + 1, 10, at + 2),
  );
  const known = left.filter((seconds) => seconds !== null);
  expect(known.length).toBe(10);
  expect(known.toSorted((a, b) => b - a)).toEqual(known);
});
