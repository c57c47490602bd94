import { describe, expect, it } from "vitest";
import { ascendingOrder } from "../compute/ascending-order.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { designEffect, distributionOf } from "./alike.ts";

const [GROUPS, EACH] = [40, 10];
const groups = Uint32Array.from({ length: GROUPS * EACH }, (_, row) => Math.floor(row / EACH));

/** @param share of the variance that lies between groups */
function scoresOf(share: number, seed: number): Float64Array {
  const random = new CounterRandom(deriveKey(seed, "alike"));
  const offsets = Float64Array.from({ length: GROUPS }, () => random.nextGaussian());
  return Float64Array.from(
    groups,
    (group) => Math.sqrt(share) * offsets[group] + Math.sqrt(1 - share) * random.nextGaussian(),
  );
}

const effectOf = (scores: Float64Array, of: ArrayLike<number> = groups): number =>
  designEffect(scores, ascendingOrder(scores), of);

describe("the design effect of groups", () => {
  it("is that of the correlation within them", () => {
    for (const [share, low, high] of [
      [0, 1, 1.4],
      [0.3, 2.5, 5],
      [0.9, 8, 10],
    ] as const) {
      const effects = Array.from({ length: 20 }, (_, seed) => effectOf(scoresOf(share, seed)));
      const mean = effects.reduce((sum, each) => sum + each, 0) / effects.length;
      expect(mean, String(share)).toBeGreaterThanOrEqual(low);
      expect(mean, String(share)).toBeLessThanOrEqual(high);
    }
  });

  it("leaves groups of equal scores worth one row each, and groups of one row all they are", () => {
    const alike = Float64Array.from(groups, (group) => (group * 7) % GROUPS);
    expect(alike.length / effectOf(alike)).toBeCloseTo(GROUPS, 10);
    const single = scoresOf(0.9, 1);
    expect(
      effectOf(
        single,
        single.map((_, row) => row),
      ),
    ).toBe(1);
    expect(effectOf(single, new Uint32Array(single.length))).toBe(single.length);
    expect(effectOf(new Float64Array(single.length))).toBe(1);
  });

  it("does not take the order of equal scores for likeness", () => {
    const tied = scoresOf(0, 3).map((score) => Number(score > 1));
    expect(effectOf(tied)).toBeLessThan(1.6);
  });

  it("takes quantiles further out, and says where groups are too few", () => {
    const alike = Float64Array.from(groups, (group) => (group * 7) % GROUPS);
    const own = distributionOf(alike, null);
    const grouped = distributionOf(alike, null, groups);
    expect(grouped.effectiveSize).toBeCloseTo(GROUPS, 10);
    // ⌈0.9 · 41⌉ of 40 groups.
    expect([own.quantile(0.9), grouped.quantile(0.9)]).toEqual([36, 36]);
    expect([own.quantile(0.95), grouped.quantile(0.95)]).toEqual([38, 38]);
    expect(grouped.quantile(0.97)).toBe(39);
    expect(own.quantile(0.98)).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(grouped.quantile(0.98)).toBe(Number.POSITIVE_INFINITY);
  });

  it("is of the rows that count", () => {
    const scores = scoresOf(0.9, 2);
    const weights = Float64Array.from(groups, (group) => Number(group < 12));
    const some = distributionOf(scores, weights, groups);
    expect(some.effectiveSize).toBeLessThan(20);
    expect(some.effectiveSize).toBeGreaterThan(8);
  });
});
