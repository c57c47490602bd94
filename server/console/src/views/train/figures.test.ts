import { expect, it } from "vitest";
import { duration, score, size } from "./figures.ts";

it("says times, sizes and scores as people do", () => {
  expect([0.25, 9, 59.6, 200, 7500].map(duration)).toEqual([
    "0.3 s",
    "9 s",
    "1 min 0 s",
    "3 min 20 s",
    "2 h 5 min",
  ]);
  expect([0, 999, 1510712, 4e9].map(size)).toEqual(["0 bytes", "999 bytes", "1.51 MB", "4 GB"]);
  expect([null, undefined, 0.1234567, 12345.678].map(score)).toEqual([
    "–",
    "–",
    "0.12346",
    "12,346",
  ]);
});
