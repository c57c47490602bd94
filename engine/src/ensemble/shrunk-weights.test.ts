import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shrunkWeights } from "./shrunk-weights.ts";

const sum = (weights: readonly number[]): number => weights.reduce((all, each) => all + each, 0);

describe("weights drawn towards equal ones", () => {
  const request = {
    weights: [1, 0, 0, 0],
    losses: [1, 1.05, 1.08, 1.3],
    families: ["a", "a", "b", "c"],
    forecasts: 1e9,
  };

  it("are halfway to those of the best of each family that is about as good", () => {
    const [best, second, other, poor] = shrunkWeights(request);
    expect(best).toBeCloseTo(0.75, 6);
    expect(other).toBeCloseTo(0.25, 6);
    expect([second, poor]).toEqual([0, 0]);
  });

  it("come nearer to them where few forecasts were looked at", () => {
    const few = shrunkWeights({ ...request, forecasts: 3 });
    expect(few[2]).toBeGreaterThan(0.4);
    expect(few[2]).toBeLessThan(0.5);
  });

  it("leave a family alone that is far ahead", () => {
    expect(shrunkWeights({ ...request, losses: [0.5, 1, 1, 1] })).toEqual([1, 0, 0, 0]);
  });

  it("sum to 1, whatever is missing", () => {
    const candidate = fc.record({
      weight: fc.integer({ min: 0, max: 9 }),
      loss: fc.oneof(
        fc.double({ min: 0, max: 10, noNaN: true }),
        fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY),
      ),
      family: fc.constantFrom("a", "b", "c"),
    });
    fc.assert(
      fc.property(
        fc.array(candidate, { minLength: 1, maxLength: 12 }),
        fc.nat(1000),
        (candidates, forecasts) => {
          const all = sum(candidates.map(({ weight }) => weight));
          fc.pre(all > 0);
          const shrunk = shrunkWeights({
            weights: candidates.map(({ weight }) => weight / all),
            losses: candidates.map(({ loss }) => loss),
            families: candidates.map(({ family }) => family),
            forecasts,
          });
          expect(sum(shrunk)).toBeCloseTo(1, 9);
          for (const weight of shrunk) expect(weight).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
