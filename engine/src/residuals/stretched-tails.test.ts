import { describe, expect, it } from "vitest";
import { studentQuantile } from "../compute/student-t.ts";
import { stretchTails } from "./stretched-tails.ts";

const LEVELS = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

describe("quantiles beyond those that few errors tell", () => {
  it("are as much further from the middle as Student's t is, each side by its own outermost one", () => {
    const stretched = stretchTails(LEVELS, [null, -3, -1, 1, 2, 5, null], 4);
    const times = studentQuantile(0.99, 4) / studentQuantile(0.95, 4);
    expect(stretched.slice(1, -1)).toEqual([-3, -1, 1, 2, 5]);
    expect(stretched[0]).toBeCloseTo(1 - 4 * times, 9);
    expect(stretched[6]).toBeCloseTo(1 + 4 * times, 9);
  });

  it("are as they were where all are told, and where hardly any is", () => {
    const all = [-9, -3, -1, 1, 2, 5, 9];
    expect(stretchTails(LEVELS, all, 3)).toEqual(all);
    for (const few of [
      [null, null, null, 1, null, null, null],
      [null, null, -1, 1, null, null, null],
      [null, null, null, null, null, null, null],
    ]) {
      expect(stretchTails(LEVELS, few, 3)).toEqual(few);
    }
  });
});
