import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { shrunkWeights, weightsByLikelihood } from "./shrunk-weights.ts";

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

  it("believe that more families are about as good, the fewer forecasts were looked at", () => {
    const losses = [1, 1.05, 1.08, 1.18];
    expect(shrunkWeights({ ...request, losses, forecasts: 3 })[3]).toBeGreaterThan(0.2);
    expect(shrunkWeights({ ...request, losses, forecasts: 300 })[3]).toBe(0);
  });

  it("leave out a naive method, unless it is the best", () => {
    const few = { ...request, weights: [0, 0, 1, 0], forecasts: 3, naive: new Set(["a"]) };
    const losses = [1.02, 1.05, 1, 1.3];
    expect(shrunkWeights({ ...few, losses })).toEqual([0, 0, 1, 0]);
    expect(shrunkWeights({ ...few, losses, naive: new Set() })[0]).toBeGreaterThan(0.4);
    const best = shrunkWeights({ ...few, losses: [1, 1.05, 1.02, 1.3] });
    expect(best[0]).toBeGreaterThan(0.4);
    expect(sum(best)).toBeCloseTo(1, 9);
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

describe("weights drawn towards those of families by how likely the rows are", () => {
  const random = new CounterRandom(deriveKey(4, "rows"));
  const rows = 200;
  const base = Float64Array.from({ length: rows }, () => 3 + random.nextGaussian());
  const behind = (mean: number): Float64Array => base.map((loss) => loss + mean);
  const families = ["a", "b", "c"];
  const weigh = (rowLosses: readonly Float64Array[], weights = [1, 0, 0]) =>
    weightsByLikelihood({
      ...{ weights, rowLosses, families, rowWeights: null },
      inNats: (difference) => difference,
    });
  /** Of 200 rows 1/2 + 1/2 · 100 / 300 of the weight is shared. */
  const share = 2 / 3;

  it("give a family the less, the less likely it makes the rows", () => {
    const [a, b, c] = weigh([base, behind(0.01), behind(0.02)]);
    const likelihoods = [0, 0.01, 0.02].map((each) => Math.exp((-200 / 2.25) * each));
    const sum = likelihoods.reduce((all, each) => all + each, 0);
    const [ofA, ofB, ofC] = likelihoods.map((each) => (share * each) / sum);
    expect([a, b, c]).toEqual([1 - share + ofA, ofB, ofC].map((each) => expect.closeTo(each, 9)));
  });

  it("give nothing to one that is clearly worse, unless it was selected", () => {
    expect(weigh([base, behind(0.5), base])).toEqual(
      [1 - share / 2, 0, share / 2].map((each) => expect.closeTo(each, 9)),
    );
    expect(weigh([base, behind(0.5), base], [0.5, 0.5, 0])[1]).toBeCloseTo((1 - share) / 2, 9);
  });

  it("share the more evenly, the fewer rows there are", () => {
    const first = (count: number): number =>
      weigh(
        [base, behind(0.05), behind(0.05)].map((losses) => losses.subarray(0, count)),
        [1 / 3, 1 / 3, 1 / 3],
      )[0];
    expect(first(20)).toBeGreaterThan(1 / 3);
    expect(first(50)).toBeGreaterThan(first(20));
    expect(first(200)).toBeGreaterThan(first(50));
  });

  it("are equal for equal ones, but for what was selected", () => {
    const third = 1 / 3;
    const equal = weigh([base, base, base], [third, third, third]);
    for (const weight of equal) expect(weight).toBeCloseTo(third, 12);
    const alone = (count: number): number =>
      weigh(
        [base, base].map((losses) => losses.subarray(0, count)),
        [1, 0],
      )[0];
    expect(alone(20)).toBeLessThan(alone(50));
    expect(alone(50)).toBeLessThan(alone(200));
    expect(alone(20)).toBeGreaterThan(0.5);
  });

  it("take one candidate a family, the best", () => {
    const weights = weightsByLikelihood({
      weights: [0, 0, 1],
      rowLosses: [behind(0.01), base, base],
      rowWeights: null,
      families: ["a", "a", "b"],
      inNats: (difference) => difference,
    });
    expect(weights).toEqual([0, 1 / 3, 2 / 3].map((weight) => expect.closeTo(weight, 9)));
  });

  it("look at rows by their weights, and at none that weigh nothing", () => {
    const rowWeights = base.map((_, row) => (row < 100 ? 1 : 0));
    const poor = base.map((loss, row) => (row < 100 ? loss : loss + 9));
    const worse = base.map((loss, row) => (row < 100 ? loss + 1 : loss - 9));
    const weights = weightsByLikelihood({
      ...{ weights: [1, 0, 0], rowLosses: [base, poor, worse], rowWeights, families },
      inNats: (difference) => difference,
    });
    // 100 rows weigh anything: 1/2 + 1/2 · 100 / 200 is shared.
    expect(weights).toEqual([0.625, 0.375, 0]);
  });

  it("measure losses beside the least", () => {
    const asked: number[][] = [];
    weightsByLikelihood({
      ...{ weights: [1, 0, 0], rowLosses: [behind(1), base, base], rowWeights: null, families },
      inNats: (difference, least) => {
        asked.push([difference, least]);
        return difference;
      },
    });
    const least = base.reduce((sum, each) => sum + each, 0) / rows;
    expect(asked).toEqual([[expect.closeTo(1, 9), expect.closeTo(least, 9)]]);
  });

  it("leave the weights as they are where no candidate has a loss, and leave out one that has none", () => {
    const none = base.map(() => Number.NaN);
    expect(weigh([none, none, none])).toEqual([1, 0, 0]);
    const [a, b, c] = weigh([base, none, base]);
    expect([a, b]).toEqual([expect.closeTo(2 / 3, 9), 0]);
    expect(c).toBeCloseTo(1 / 3, 9);
  });
});
