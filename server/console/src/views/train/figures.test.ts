import { expect, it } from "vitest";
import { duration, score } from "./figures.ts";

it("says times and scores as people do", () => {
  expect([0.0123, 0, 0.25, 9, 59.6, 200, 7500].map(duration)).toEqual([
    "12 ms",
    "0 s",
    "0.3 s",
    "9 s",
    "1 min 0 s",
    "3 min 20 s",
    "2 h 5 min",
  ]);
  expect([null, undefined, 0.1234567, 12345.678].map(score)).toEqual([
    "–",
    "–",
    "0.12346",
    "12,346",
  ]);
});
