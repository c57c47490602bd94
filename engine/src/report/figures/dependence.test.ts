/** Partial dependence beside scikit-learn's, and accumulated effects beside their formula in NumPy. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { accumulatedEffects, partialDependence } from "./dependence.ts";

const numbers = z.array(z.number());
const { dependence: peer } = z
  .object({
    dependence: z.object({
      columns: z.array(numbers),
      values: numbers,
      mean: numbers,
      low: numbers,
      high: numbers,
      local: numbers,
      error: numbers,
      errors: numbers,
    }),
  })
  .parse(
    JSON.parse(readFileSync(new URL("./fixtures/scikit-learn.json", import.meta.url), "utf8")),
  );

type Formula = (x: number, z: number) => number;

/** Predictions with another first column, by a formula of two. */
const predictBy =
  (formula: Formula, columns: readonly (readonly number[])[]) =>
  (rows: readonly number[], values: readonly number[]) =>
    rows.map((row, i) => formula(values[i], columns[row][1]));

const product: Formula = (x, z) => Math.sin(2 * x) + x * z;
const rows = peer.columns.map((_, row) => row);
const equal = peer.values.map(() => 1);

describe("partial dependence", () => {
  const points = partialDependence(rows, peer.values, {
    weights: equal,
    outputs: 1,
    predict: predictBy(product, peer.columns),
  });

  test("is scikit-learn's", () => {
    expect(points.map(({ mean }) => mean[0])).toEqual(
      peer.mean.map((mean) => expect.closeTo(mean, 10)),
    );
  });

  test("has a band of rows about their own means", () => {
    expect(points.map(({ low }) => low[0])).toEqual(peer.low.map((low) => expect.closeTo(low, 10)));
    expect(points.map(({ error }) => error[0])).toEqual(
      peer.error.map((error) => expect.closeTo(error, 10)),
    );
    expect(points.map(({ high }) => high[0])).toEqual(
      peer.high.map((high) => expect.closeTo(high, 10)),
    );
  });

  test("of a sum has no width", () => {
    const sum = partialDependence(rows, peer.values, {
      weights: peer.values.map((_, i) => 1 + i),
      outputs: 1,
      predict: predictBy((x, z) => x * x + 3 * z, peer.columns),
    });
    for (const { mean, low, high } of sum) {
      expect(low[0]).toBeCloseTo(mean[0], 10);
      expect(high[0]).toBeCloseTo(mean[0], 10);
    }
  });

  test("keeps outputs apart", () => {
    const points = partialDependence(
      ["a", "b"].map((_, row) => row),
      ["x", "y"],
      {
        weights: [1, 3],
        outputs: 2,
        predict: (rows, values) => rows.flatMap((row, i) => [values[i] === "x" ? 1 : 2, 10 * row]),
      },
    );
    expect(points.map(({ mean }) => mean)).toEqual([
      [1, 5],
      [2, 5],
    ]);
  });
});

describe("accumulated effects", () => {
  const located = peer.columns.map(([value], row) => ({ row, value }));

  test("are those of the formula", () => {
    const { effects, errors } = accumulatedEffects(located, peer.values, {
      outputs: 1,
      predict: predictBy(product, peer.columns),
    });
    expect([...effects]).toEqual(peer.local.map((value) => expect.closeTo(value, 10)));
    expect([...errors]).toEqual(peer.errors.map((error) => expect.closeTo(error, 10)));
  });

  test("of columns that are one do not leave the data, as partial dependence does", () => {
    const columns = Array.from({ length: 101 }, (_, i) => [i / 50 - 1, i / 50 - 1]);
    const edges = Array.from({ length: 21 }, (_, i) => i / 10 - 1);
    const apart: Formula = (x, z) => (x - z) ** 2;
    const predict = predictBy(apart, columns);
    const all = columns.map((_, row) => row);
    const { effects: local } = accumulatedEffects(
      columns.map(([value], row) => ({ row, value })),
      edges,
      { outputs: 1, predict },
    );
    const weights = edges.map(() => 1);
    const means = partialDependence(all, edges, { weights, outputs: 1, predict }).map(
      ({ mean }) => mean[0],
    );
    const widthOf = (values: Iterable<number>): number => {
      const sorted = [...values].sort((a, b) => a - b);
      return sorted[sorted.length - 1] - sorted[0];
    };
    expect(widthOf(local)).toBeLessThan(0.05);
    expect(widthOf(means)).toBeGreaterThan(0.9);
  });

  test("of a sum are its term, whatever the edges", () => {
    const value = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 60 }), (pairs) => {
        const distinct = [...new Set(pairs.map(([x]) => x))].sort((a, b) => a - b);
        fc.pre(distinct.length > 1);
        const edges = distinct.filter((_, i) => i % 2 === 0 || i === distinct.length - 1);
        const term = (x: number): number => 3 * x;
        const { effects: found } = accumulatedEffects(
          pairs.map(([value], row) => ({ row, value })),
          edges,
          { outputs: 1, predict: predictBy((x, z) => term(x) + z * z, pairs) },
        );
        for (const [at, edge] of edges.entries()) {
          const own = found[at] - found[0];
          // An interval without rows adds nothing.
          const empty = edges
            .slice(1, at + 1)
            .reduce(
              (sum, to, k) =>
                pairs.some(([x]) => (x > edges[k] || k === 0) && x <= to)
                  ? sum
                  : sum + term(to) - term(edges[k]),
              0,
            );
          expect(own).toBeCloseTo(term(edge) - term(edges[0]) - empty, 8);
        }
      }),
    );
  });
});
