/** The analysis of variance against its sums of squares, and against rows that are written out. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { CategorySums } from "./category-sums.ts";
import { slowVarianceRatio } from "./testing/variance-ratio.ts";

const CATEGORIES = 9;

/** Labels of each category, less the mean of all. */
function drawn(seed: number, effect: number): number[][] {
  const random = new CounterRandom(deriveKey(seed, "labels"));
  const groups = Array.from({ length: CATEGORIES }, () => {
    const mean = effect * random.nextGaussian();
    return Array.from({ length: random.nextInteger(12) }, () => mean + random.nextGaussian());
  });
  const all = groups.flat();
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return groups.map((labels) => labels.map((value) => value - mean));
}

const sumsOf = (groups: readonly (readonly number[])[], copies: (row: number) => number) => {
  const sums = new CategorySums(CATEGORIES);
  let row = 0;
  for (const [category, labels] of groups.entries()) {
    for (const value of labels) sums.add(category, value, copies(row++));
  }
  return sums;
};

describe("sums of categories", () => {
  it("have the ratio of variances of the analysis of variance", () => {
    const property = fc.property(fc.nat(), fc.constantFrom(0, 0.3, 2), (seed, effect) => {
      const groups = drawn(seed, effect);
      const told = groups.filter((labels) => labels.length > 0);
      fc.pre(told.length > 1 && told.flat().length > told.length);
      const ratio = sumsOf(groups, () => 1).varianceRatio();
      const expected = slowVarianceRatio(told);
      if (ratio === null) expect(expected > 0 && expected < 1e6).toBe(false);
      else expect(ratio / expected).toBeCloseTo(1, 6);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("know nothing of rows without weight", () => {
    const groups = drawn(4, 1);
    const kept = groups.map((labels) => labels.slice(0, 2));
    const isKept = groups.flatMap((labels) => labels.map((_, i) => Number(i < 2)));
    const weighed = sumsOf(groups, (row) => isKept[row]);
    expect(weighed.counts).toEqual(sumsOf(kept, () => 1).counts);
    expect(weighed.varianceRatio()).toBeCloseTo(sumsOf(kept, () => 1).varianceRatio() ?? -1, 9);
  });

  it("have no ratio of one category, or of one row each", () => {
    expect(sumsOf([[1, -1]], () => 1).varianceRatio()).toBeNull();
    expect(sumsOf([[1], [-1], [0]], () => 1).varianceRatio()).toBeNull();
  });
});
