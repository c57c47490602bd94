import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { randomSampler } from "../../search/random-sampler.ts";
import type { SearchSpace } from "../../search/space.ts";
import { fitForest, valueAt } from "./forest.ts";
import { LEAST_TRIALS, mainEffects, parameterImportance } from "./parameter-importance.ts";

const key = deriveKey(3, "test");

function randomPoints(count: number, width: number): Float64Array[] {
  const random = new CounterRandom(deriveKey(1, "points"));
  return Array.from({ length: count }, () =>
    Float64Array.from({ length: width }, () => random.nextFloat()),
  );
}

const settings = (cells: number[]) => ({ trees: 8, minLeaf: 2, cells });

describe("the forest", () => {
  test("its leaves cover the cube once, and hold the means of what fell into them", () => {
    const points = randomPoints(80, 3);
    const values = points.map(([a, b]) => 5 * a + (b > 0.5 ? 3 : 0));
    const forest = fitForest(points, values, settings([0, 0, 0]), key);
    for (const leaves of forest.trees) {
      const total = leaves.reduce(
        (sum, { low, high }) => sum + low.reduce((v, l, d) => v * (high[d] - l), 1),
        0,
      );
      expect(total).toBeCloseTo(1, 12);
      for (const point of randomPoints(40, 3)) {
        const inside = leaves.filter(({ low, high }) =>
          point.every((x, d) => x > low[d] && x <= high[d]),
        );
        expect(inside).toHaveLength(1);
        expect(valueAt(leaves, point)).toBe(inside[0].value);
      }
    }
    expect(forest.outOfBagR2).toBeGreaterThan(0.8);
  });

  test("categories are cut between their cells", () => {
    const points = randomPoints(60, 1).map(([x]) => Float64Array.of((Math.floor(x * 5) + 0.5) / 5));
    const values = points.map(([x]) => (x === 0.3 ? 1 : 0));
    const { trees } = fitForest(points, values, settings([5]), key);
    for (const { low, high } of trees.flat()) {
      for (const edge of [low[0], high[0]]) expect((edge * 5) % 1).toBeCloseTo(0, 12);
    }
  });
});

/** By brute force: the forest's values on a grid, averaged over all other coordinates. */
function slowMainEffects(
  trees: ReturnType<typeof fitForest>["trees"],
  width: number,
  cells: number,
): number[] {
  const at = (index: number): number => (index + 0.5) / cells;
  const grid = Array.from({ length: cells ** width }, (_, i) =>
    Float64Array.from({ length: width }, (_, d) => at(Math.floor(i / cells ** d) % cells)),
  );
  const shares = new Array<number>(width).fill(0);
  for (const leaves of trees) {
    const values = grid.map((point) => valueAt(leaves, point));
    const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
    const total = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length;
    for (let d = 0; d < width; d++) {
      const marginals = Array.from({ length: cells }, (_, c) => {
        const slice = values.filter((_, i) => Math.floor(i / cells ** d) % cells === c);
        return slice.reduce((sum, v) => sum + v, 0) / slice.length;
      });
      shares[d] += marginals.reduce((sum, m) => sum + (m - mean) ** 2, 0) / cells / total;
    }
  }
  return shares.map((share) => share / trees.length);
}

test("main effects are those found by averaging over a grid", () => {
  // Every coordinate is one of 12 cells, so that the grid meets all edges exactly.
  const points = randomPoints(150, 3).map((point) =>
    point.map((x) => (Math.floor(x * 12) + 0.5) / 12),
  );
  const values = points.map(([a, b, c]) => 4 * a + 3 * a * b + Math.sin(5 * c));
  const { trees } = fitForest(points, values, settings([12, 12, 12]), key);
  const fast = mainEffects(trees, 3);
  const slow = slowMainEffects(trees, 3, 12);
  for (let d = 0; d < 3; d++) expect(fast[d]).toBeCloseTo(slow[d], 10);
  expect(fast.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-12);
});

test("finds the parameter that decides, on its own scale, and its direction", () => {
  const space: SearchSpace = {
    rate: { type: "float", low: 1e-4, high: 1, log: true },
    leaves: { type: "int", low: 2, high: 200 },
    growth: { type: "categorical", choices: ["leaf", "level"] },
    depth: {
      type: "int",
      low: 1,
      high: 9,
      when: { parameter: "growth", values: ["level"] },
    },
  };
  const sampler = randomSampler();
  const trials = Array.from({ length: 80 }, (_, i) => {
    const request = { space, history: [], pending: [] };
    const parameters = sampler.suggest(request, deriveKey(0, "suggest", i));
    const rate = Number(parameters["rate"]);
    return { parameters, loss: Math.log(rate) + (parameters["growth"] === "leaf" ? 0.5 : 0) };
  });
  const found = parameterImportance(space, trials, key);
  expect(found?.parameters[0]).toMatchObject({ name: "rate" });
  expect(found?.parameters[0].importance).toBeGreaterThan(0.7);
  expect(found?.parameters[0].correlation).toBeGreaterThan(0.9);
  expect(found?.parameters.find(({ name }) => name === "growth")?.correlation).toBeNull();
  expect(found?.parameters.find(({ name }) => name === "depth")?.importance).toBeLessThan(0.1);
  expect(found?.fit).toBeGreaterThan(0.7);
  expect(parameterImportance(space, trials.slice(0, LEAST_TRIALS - 1), key)).toBeNull();
  const diverged = trials.map((trial) => ({ ...trial, loss: Number.POSITIVE_INFINITY }));
  expect(parameterImportance(space, diverged, key)).toBeNull();
});
