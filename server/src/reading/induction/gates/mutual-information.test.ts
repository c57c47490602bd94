import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adjustedMutualInformation, entropy, evenness } from "./mutual-information.ts";

interface Case {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly adjusted: number;
}

const { cases }: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL("./mutual-information-figures.json", import.meta.url), "utf8"),
);

const column = (size: number) => fc.array(fc.nat(3), { minLength: size, maxLength: size });
const columns = fc.integer({ min: 2, max: 7 }).chain((n) => fc.tuple(column(n), column(n)));

/** By the definition: over all values of both. */
function slowMutualInformation(a: readonly number[], b: readonly number[]): number {
  const share = (is: (index: number) => boolean): number =>
    a.filter((_, index) => is(index)).length / a.length;
  let sum = 0;
  for (const x of new Set(a)) {
    for (const y of new Set(b)) {
      const both = share((i) => a[i] === x && b[i] === y);
      if (both > 0)
        sum += both * Math.log(both / (share((i) => a[i] === x) * share((i) => b[i] === y)));
    }
  }
  return sum;
}

/** The mean over all orders of the second column. */
function slowExpected(a: readonly number[], b: readonly number[]): number {
  const orders = permutations(b);
  return orders.reduce((sum, each) => sum + slowMutualInformation(a, each), 0) / orders.length;
}

function permutations(values: readonly number[]): number[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((first, index) =>
    permutations(values.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}

describe("mutual information", () => {
  it("is what scikit-learn says", () => {
    expect(cases.length).toBeGreaterThan(30);
    for (const { a, b, adjusted } of cases) {
      expect(adjustedMutualInformation(a, b)).toBeCloseTo(adjusted, 9);
    }
  });

  it("is what the definition says, chance taken over all orders", () => {
    const property = fc.property(columns, ([a, b]) => {
      const distinct = [new Set(a).size, new Set(b).size];
      fc.pre(!(distinct[0] === 1 && distinct[1] === 1));
      fc.pre(!(distinct[0] === a.length && distinct[1] === a.length));
      const mean = (entropy(a) + entropy(b)) / 2;
      const chance = slowExpected(a, b);
      fc.pre(mean - chance > 1e-6);
      const slow = (slowMutualInformation(a, b) - chance) / (mean - chance);
      expect(adjustedMutualInformation(a, b)).toBeCloseTo(slow, 6);
    });
    fc.assert(property, { numRuns: 30 });
  });

  it("knows no order and no names", () => {
    fc.assert(
      fc.property(columns, ([a, b]) => {
        const renamed = b.map((value) => `value ${value}`);
        const there = adjustedMutualInformation(a, b);
        expect(adjustedMutualInformation(renamed, a)).toBeCloseTo(there, 9);
      }),
    );
  });

  it("refuses columns of two lengths", () => {
    expect(() => adjustedMutualInformation([1, 2], [1])).toThrow(RangeError);
  });
});

describe("evenness", () => {
  it("is 0 for one value, 1 for values equally often, between for others", () => {
    expect(evenness(["a", "a", "a"])).toBe(0);
    expect(evenness([])).toBe(0);
    expect(evenness(["a", "b", "c", "a", "b", "c"])).toBeCloseTo(1);
    expect(evenness(["a", "a", "a", "b"])).toBeCloseTo(0.8113, 4);
  });
});
