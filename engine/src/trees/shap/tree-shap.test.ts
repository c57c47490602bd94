import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import type { EncodedData } from "../../data/encoded.ts";
import { gaussLegendre } from "./quadrature.ts";
import {
  binGoesLeft,
  type RandomCase,
  type RandomShape,
  randomCase,
} from "./testing/random-ensemble.ts";
import { type TreeContributions, treeShap } from "./tree-shap.ts";

function explain(each: RandomCase, rows: Uint32Array | null = null): TreeContributions {
  return treeShap(each.trees, each.data, rows, each.outputs);
}

/** E[f | the features in `known`]: unknown splits send the row both ways by training weight. */
function conditional(each: RandomCase, row: number, known: number, output: number): number {
  const { trees, data, cells } = each;
  const missing = bins(data).map((feature) => feature.valueBins);
  const k = trees.valuesPerNode;
  const walk = (node: number, column: number): number => {
    const feature = trees.feature[node];
    if (feature < 0) return trees.value[node * k + column];
    const left = trees.left[node];
    const right = trees.right[node];
    if ((known >> feature) & 1) {
      const bin = cells[row * data.features.length + feature];
      return walk(binGoesLeft(trees, node, bin, missing[feature]) ? left : right, column);
    }
    const total = trees.cover[left] + trees.cover[right];
    const share = total > 0 ? trees.cover[left] / total : 0.5;
    return share * walk(left, column) + (1 - share) * walk(right, column);
  };
  let sum = 0;
  for (let tree = 0; tree + 1 < trees.treeStarts.length; tree++) {
    if (k === 1 && trees.treeOutput[tree] !== output) continue;
    sum += walk(trees.treeStarts[tree], k === 1 ? 0 : output);
  }
  return sum;
}

function bins(data: EncodedData) {
  if (data.binned === null) throw new Error("no bins");
  return data.binned.bins;
}

/** The definition: the mean marginal contribution over all orders, subset by subset. */
function shapley(each: RandomCase, row: number, output: number): number[] {
  const n = each.data.features.length;
  const worth = Array.from({ length: 1 << n }, (_, known) => conditional(each, row, known, output));
  const factorial = [1];
  for (let i = 1; i <= n; i++) factorial.push(factorial[i - 1] * i);
  return Array.from({ length: n }, (_, feature) => {
    let sum = 0;
    for (let known = 0; known < 1 << n; known++) {
      if ((known >> feature) & 1) continue;
      const size = known.toString(2).replaceAll("0", "").length;
      const weight = (factorial[size] * factorial[n - size - 1]) / factorial[n];
      sum += weight * (worth[known | (1 << feature)] - worth[known]);
    }
    return sum;
  });
}

const shapes: fc.Arbitrary<RandomShape> = fc
  .record({
    seed: fc.nat(),
    features: fc.integer({ min: 1, max: 6 }),
    rows: fc.constant(3),
    trees: fc.integer({ min: 1, max: 4 }),
    depth: fc.integer({ min: 0, max: 6 }),
    outputs: fc.integer({ min: 1, max: 3 }),
    multi: fc.boolean(),
    emptyNodes: fc.boolean(),
  })
  .map(({ multi, ...shape }) => ({ ...shape, valuesPerNode: multi ? shape.outputs : 1 }));

describe("treeShap", () => {
  it("equals the definition of Shapley values on small ensembles", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const each = randomCase(shape);
        const { contributions, baseValues } = explain(each);
        const n = shape.features;
        for (let c = 0; c < shape.outputs; c++) {
          expect(baseValues[c]).toBeCloseTo(conditional(each, 0, 0, c), 10);
          for (let row = 0; row < shape.rows; row++) {
            const expected = shapley(each, row, c);
            for (let f = 0; f < n; f++) {
              const got = contributions[(row * n + f) * shape.outputs + c];
              expect(Math.abs(got - expected[f])).toBeLessThan(1e-10);
            }
          }
        }
      }),
      { numRuns: 120 },
    );
  });

  it("adds up to the prediction on deep ensembles of many features", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 10, max: 40 }), (seed, features) => {
        const shape: RandomShape = {
          seed,
          features,
          rows: 20,
          trees: 5,
          depth: 11,
          valuesPerNode: 3,
          outputs: 3,
          emptyNodes: true,
        };
        const each = randomCase(shape);
        const { contributions, baseValues } = explain(each);
        for (let row = 0; row < shape.rows; row++) {
          for (let c = 0; c < 3; c++) {
            let sum = baseValues[c];
            for (let f = 0; f < features; f++) sum += contributions[(row * features + f) * 3 + c];
            expect(Math.abs(sum - prediction(each, row, c))).toBeLessThan(1e-9);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it("explains a row alike alone, in a subset and among all, and frees what it took", () => {
    const shape: RandomShape = {
      seed: 7,
      features: 12,
      rows: 9000,
      trees: 3,
      depth: 5,
      valuesPerNode: 1,
      outputs: 2,
      emptyNodes: false,
    };
    const each = randomCase(shape);
    const before = Arena.attach(each.data.arena).liveBytes;
    const all = explain(each).contributions;
    const picked = Uint32Array.of(8999, 3, 3, 4500);
    const some = explain(each, picked).contributions;
    const width = shape.features * shape.outputs;
    picked.forEach((row, i) => {
      expect(some.subarray(i * width, (i + 1) * width)).toEqual(
        all.subarray(row * width, (row + 1) * width),
      );
    });
    expect(explain(each, new Uint32Array(0)).contributions.length).toBe(0);
    expect(Arena.attach(each.data.arena).liveBytes).toBe(before);
  });
});

/** Follows the row down every tree. */
function prediction(each: RandomCase, row: number, output: number): number {
  const { trees } = each;
  const { features } = each.data;
  let sum = 0;
  for (let tree = 0; tree + 1 < trees.treeStarts.length; tree++) {
    let node = trees.treeStarts[tree];
    while (trees.feature[node] >= 0) {
      const feature = trees.feature[node];
      const bin = each.cells[row * features.length + feature];
      const missing = bins(each.data)[feature].valueBins;
      node = binGoesLeft(trees, node, bin, missing) ? trees.left[node] : trees.right[node];
    }
    sum += trees.value[node * trees.valuesPerNode + output];
  }
  return sum;
}

describe("gaussLegendre", () => {
  it("integrates every monomial its degree reaches", () => {
    for (const count of [1, 2, 3, 8, 20, 32]) {
      const { points, weights } = gaussLegendre(count);
      for (let degree = 0; degree < 2 * count; degree++) {
        let sum = 0;
        for (let i = 0; i < count; i++) sum += weights[i] * points[i] ** degree;
        expect(Math.abs(sum - 1 / (degree + 1))).toBeLessThan(1e-14);
      }
    }
  });
});
