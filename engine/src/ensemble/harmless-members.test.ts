import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutHarmless } from "./harmless-members.ts";

const target = Float64Array.from({ length: 40 }, (_, i) => Math.sin(i));
const squared = (predictions: Float64Array): number =>
  predictions.reduce((sum, value, i) => sum + (value - target[i]) ** 2, 0) / target.length;
const off = (by: (i: number) => number): Float64Array => target.map((value, i) => value + by(i));

describe("members of a blend", () => {
  it("go where the blend is as good without them, and their weight with them", () => {
    const good = off((i) => (i % 2 === 0 ? 0.1 : -0.1));
    const opposite = off((i) => (i % 4 < 2 ? 0.1 : -0.1));
    const same = good.slice();
    const weights = withoutHarmless({
      weights: [0.49, 0.5, 0.01, 0],
      predictions: [good, opposite, same, off(() => 5)],
      lossOf: squared,
    });
    expect(weights[1]).toBeGreaterThan(0);
    expect(weights.filter((weight) => weight > 0)).toHaveLength(2);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  });

  it("stay where they bring something, however little they weigh", () => {
    const weights = [0.95, 0.05];
    const predictions = [
      off((i) => (i % 2 === 0 ? 0.1 : -0.1)),
      off((i) => (i % 2 === 0 ? -0.2 : 0.2)),
    ];
    expect(withoutHarmless({ weights, predictions, lossOf: squared })).toEqual(weights);
  });

  it("never cost more than a two-thousandth of the loss, and one is left", () => {
    const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: 40,
      maxLength: 40,
    });
    const members = fc.array(fc.record({ weight: fc.integer({ min: 0, max: 9 }), numbers }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(members, (drawn) => {
        const sum = drawn.reduce((total, { weight }) => total + weight, 0);
        fc.pre(sum > 0);
        const given = drawn.map(({ weight }) => weight / sum);
        const predictions = drawn.map((each) => Float64Array.from(each.numbers));
        const kept = withoutHarmless({ weights: given, predictions, lossOf: squared });
        const lossBy = (weights: readonly number[]): number =>
          squared(
            target.map((_, i) => weights.reduce((total, w, m) => total + w * predictions[m][i], 0)),
          );
        expect(kept.some((weight) => weight > 0)).toBe(true);
        expect(kept.every((weight, m) => weight === 0 || given[m] > 0)).toBe(true);
        expect(lossBy(kept)).toBeLessThanOrEqual(lossBy(given) * (1 + 5e-4) + 1e-12);
      }),
      { numRuns: 50 },
    );
  });
});
