import fc from "fast-check";
import { expect, it } from "vitest";
import type { Task } from "../tasks/index.ts";
import { arrangedExplanation } from "./arranged-explanation.ts";
import type { Explanation } from "./family.ts";

const LEVELS = 3;
const task: Task = { kind: "quantile_regression", classes: [], quantiles: [0.1, 0.5, 0.9] };

const explanations: fc.Arbitrary<Explanation> = fc
  .record({ rows: fc.integer({ min: 1, max: 4 }), features: fc.integer({ min: 1, max: 3 }) })
  .chain(({ rows, features }) => {
    const number = fc.integer({ min: -20, max: 20 });
    const parts = rows * features * LEVELS;
    return fc
      .record({
        base: fc.array(number, { minLength: LEVELS, maxLength: LEVELS }),
        contributions: fc.array(number, { minLength: parts, maxLength: parts }),
      })
      .map(({ base, contributions }) => ({
        space: "identity" as const,
        baseValues: Float64Array.from(base),
        contributions: Float64Array.from(contributions),
        margins: Float64Array.from({ length: rows * LEVELS }, (_, at) =>
          sumOf(base, contributions, features, at),
        ),
      }));
  });

function sumOf(
  base: ArrayLike<number>,
  contributions: ArrayLike<number>,
  features: number,
  at: number,
): number {
  const [row, k] = [Math.floor(at / LEVELS), at % LEVELS];
  let sum = base[k];
  for (let f = 0; f < features; f++) sum += contributions[(row * features + f) * LEVELS + k];
  return sum;
}

it("adds up to the quantiles in their order, and leaves ordered ones alone", () => {
  fc.assert(
    fc.property(explanations, (given) => {
      const { margins, contributions, baseValues } = arrangedExplanation(task, given);
      const features = contributions.length / margins.length;
      for (let from = 0; from < margins.length; from += LEVELS) {
        const row = given.margins.slice(from, from + LEVELS);
        const sorted = row.toSorted();
        expect(margins.slice(from, from + LEVELS)).toEqual(sorted);
        for (let k = 0; k < LEVELS; k++) {
          expect(sumOf(baseValues, contributions, features, from + k)).toBeCloseTo(sorted[k], 9);
        }
        if (row.every((value, k) => value === sorted[k])) {
          const own = [from * features, (from + LEVELS) * features] as const;
          expect(contributions.slice(...own)).toEqual(given.contributions.slice(...own));
        }
      }
    }),
  );
});
