import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { effectiveSize, ScoreDistribution } from "./score-distribution.ts";

const fixture = z
  .object({
    regression: z.array(
      z.object({
        target: z.array(z.number()),
        predictions: z.array(z.number()),
        levels: z.array(z.number()),
        symmetric: z.array(z.tuple([z.number(), z.number()])),
        asymmetric: z.array(z.tuple([z.number(), z.number()])).optional(),
      }),
    ),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL("../conformal/fixtures/mapie-quantiles.json", import.meta.url), "utf8"),
    ),
  );

/** By the words of the definition: the least score that enough weight does not exceed. */
function slowQuantile(scores: readonly number[], weights: readonly number[], level: number) {
  const total = weights.reduce((sum, each) => sum + each, 0);
  const size = total ** 2 / weights.reduce((sum, each) => sum + each ** 2, 0);
  const needed = level * (1 + 1 / size) * total - 1e-9 * total;
  const enough = scores
    .filter((_, i) => weights[i] > 0)
    .filter((score) => {
      const below = scores.reduce((sum, each, i) => sum + (each <= score ? weights[i] : 0), 0);
      return below >= needed;
    });
  return Math.min(...enough);
}

describe("quantiles for a finite sample", () => {
  test("are the k-th smallest score with k = ceil(level * (n + 1))", () => {
    const scores = new ScoreDistribution(Float64Array.from([5, 1, 4, 2, 3, 9, 7, 8, 6]), null);
    expect(scores.quantile(0.5)).toBe(5);
    expect(scores.quantile(0.51)).toBe(6);
    expect(scores.quantile(0.9)).toBe(9);
    expect(scores.quantile(0.91)).toBe(Number.POSITIVE_INFINITY);
  });

  test("of no rows are infinite", () => {
    expect(new ScoreDistribution(new Float64Array(0), null).quantile(0.5)).toBe(Infinity);
    expect(new ScoreDistribution(Float64Array.of(1), Float64Array.of(0)).quantile(0.5)).toBe(
      Infinity,
    );
  });

  test("follow the definition for any weights", () => {
    const row = fc.record({
      score: fc.integer({ min: -5, max: 5 }),
      weight: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(
        fc
          .array(row, { minLength: 1, maxLength: 60 })
          .filter((rows) => rows.some((r) => r.weight > 0)),
        fc.integer({ min: 1, max: 99 }),
        (rows, percent) => {
          const scores = rows.map((each) => each.score);
          const weights = rows.map((each) => each.weight);
          const fast = new ScoreDistribution(Float64Array.from(scores), Float64Array.from(weights));
          expect(fast.quantile(percent / 100)).toBe(slowQuantile(scores, weights, percent / 100));
        },
      ),
    );
  });

  test("do not change where all weights are multiplied, nor by rows of weight 0", () => {
    const scores = Float64Array.from({ length: 40 }, (_, i) => (i * 17) % 40);
    const plain = new ScoreDistribution(scores, null);
    const twice = new ScoreDistribution(scores, new Float64Array(40).fill(2.5));
    const more = new ScoreDistribution(
      Float64Array.from([...scores, 1000, -1000]),
      Float64Array.from([...new Float64Array(40).fill(1), 0, 0]),
    );
    for (const level of [0.5, 0.8, 0.9, 0.95]) {
      expect(twice.quantile(level)).toBe(plain.quantile(level));
      expect(more.quantile(level)).toBe(plain.quantile(level));
    }
  });

  test("hold for new rows as often as they say, on the average over samples of any size", () => {
    // Scores of exchangeable ranks: the coverage of the k-th smallest of n is k / (n + 1) exactly.
    for (const n of [9, 19, 150]) {
      const scores = Float64Array.from({ length: n }, (_, i) => (i + 1) / (n + 1));
      expect(new ScoreDistribution(scores, null).quantile(0.9)).toBeGreaterThanOrEqual(0.9 - 1e-12);
      expect(new ScoreDistribution(scores, null).quantile(0.9)).toBeLessThan(0.9 + 1 / n);
    }
  });

  test("are those of MAPIE's split-conformal intervals", () => {
    for (const { target, predictions, levels, symmetric, asymmetric } of fixture.regression) {
      const residuals = Float64Array.from(target, (value, i) => value - predictions[i]);
      const either = new ScoreDistribution(residuals.map(Math.abs), null);
      const above = new ScoreDistribution(residuals, null);
      const below = new ScoreDistribution(
        residuals.map((each) => -each),
        null,
      );
      for (const [i, level] of levels.entries()) {
        expect(either.quantile(level)).toBeCloseTo(symmetric[i][1], 9);
        if (!asymmetric) continue;
        expect(above.quantile((1 + level) / 2)).toBeCloseTo(asymmetric[i][1], 9);
        expect(-below.quantile((1 + level) / 2)).toBeCloseTo(asymmetric[i][0], 9);
      }
    }
  });
});

test("the effective size is the count for equal weights and less for others", () => {
  expect(effectiveSize(7, null)).toBe(7);
  expect(effectiveSize(4, Float64Array.of(2, 2, 2, 2))).toBe(4);
  expect(effectiveSize(2, Float64Array.of(3, 1))).toBeCloseTo(1.6, 12);
  expect(effectiveSize(2, Float64Array.of(0, 0))).toBe(0);
});
