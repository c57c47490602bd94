import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { withScratch } from "../compute/scratch.ts";
import { TreeGrower } from "./grower.ts";
import type { GrowthSettings } from "./growth-settings.ts";
import { type BinColumn, encodeBins, randomColumns } from "./testing/random-bins.ts";
import { growReference } from "./testing/reference-grower.ts";

interface Settings extends GrowthSettings {
  readonly growth: "leafwise" | "depthwise";
  readonly noise: number;
}

const PLAIN: Settings = {
  growth: "leafwise",
  maxLeaves: 16,
  maxDepth: 0,
  minData: 3,
  minHessian: 0,
  minGain: 0,
  l1: 0,
  l2: 1,
  catSmooth: 10,
  catL2: 5,
  minGroup: 4,
  maxCategories: 32,
  oneVersusRest: 4,
  randomThresholds: false,
  monotone: null,
  noise: 0,
};

interface Case {
  readonly columns: readonly BinColumn[];
  readonly rows: readonly number[];
  readonly gradients: Float64Array;
  readonly hessians: Float64Array;
}

function randomCase(
  seed: number,
  rows: number,
  features: number,
  kinds: { readonly categorical?: boolean; readonly missing?: boolean },
): Case {
  const random = new CounterRandom(deriveKey(seed, "gradients"));
  const columns = randomColumns(seed, rows, features, kinds);
  return {
    columns,
    rows: Array.from({ length: rows }, (_, row) => row).filter(() => random.nextFloat() < 0.9),
    gradients: Float64Array.from(
      { length: rows },
      (_, row) => random.nextInteger(2001) - 1000 + 100 * (columns[0].bins[row] & 3),
    ),
    hessians: Float64Array.from({ length: rows }, () => 1 + random.nextInteger(50)),
  };
}

interface Grown {
  readonly nodes: number;
  readonly feature: number[];
  readonly left: number[];
  readonly count: number[];
  readonly gain: number[];
  /** Sorted bins that go left at each inner node. */
  readonly leftBins: number[][];
  readonly liveAfter: number;
}

function growKernel({ columns, rows, gradients, hessians }: Case, settings: Settings): Grown {
  const data = encodeBins(columns);
  const arena = Arena.attach(data.arena);
  const before = arena.liveBytes;
  const grown = withScratch(arena, (scratch) => {
    const packed = scratch.allocate(data.rows * 8);
    const list = scratch.u32(rows);
    const grower = new TreeGrower(scratch, data.binned!, rows.length, 0, settings);
    arena
      .i64(packed, data.rows)
      .set(BigInt64Array.from(gradients, (g, row) => (BigInt(g) << 32n) + BigInt(hessians[row])));
    const nodes = grower.grow({
      rows: list,
      rowCount: rows.length,
      features: Int32Array.from(columns.keys()),
      packed,
      gradientScale: 1,
      hessianScale: 1,
      key: { low: 1, high: 2 },
      noise: settings.noise,
    });
    const { tree } = grower;
    const leftBins = Array.from({ length: nodes }, (_, node) => {
      if (tree.feature[node] < 0) return [];
      const column = columns[tree.feature[node]];
      const bins = Array.from({ length: column.valueBins }, (_, b) => b).filter((b) =>
        tree.isCategorical[node]
          ? (tree.sets[tree.splitBin[node] * 8 + (b >> 5)] >>> (b & 31)) & 1
          : b <= tree.splitBin[node],
      );
      return tree.missingLeft[node] ? [...bins, column.valueBins] : bins;
    });
    return {
      nodes,
      feature: [...tree.feature.subarray(0, nodes)],
      left: [...tree.left.subarray(0, nodes)],
      count: [...tree.count.subarray(0, nodes)],
      gain: [...tree.gain.subarray(0, nodes)],
      leftBins,
    };
  });
  return { ...grown, liveAfter: arena.liveBytes - before };
}

function expectEqualTrees(example: Case, settings: Settings): void {
  const { columns, rows, gradients, hessians } = example;
  const reference = growReference(columns, rows, gradients, hessians, settings);
  const grown = growKernel(example, settings);
  expect(grown.count).toEqual(reference.map((node) => node.rows.length));
  expect(grown.left).toEqual(reference.map((node) => node.left));
  reference.forEach((node, i) => {
    if (node.left < 0) {
      expect(grown.feature[i]).toBe(-1);
      return;
    }
    const { valueBins } = columns[node.split!.feature];
    expect(grown.feature[i]).toBe(node.split!.feature);
    expect(grown.leftBins[i]).toEqual(
      [...node.split!.leftBins].filter((b) => b <= valueBins).toSorted((a, b) => a - b),
    );
    expect(grown.gain[i]).toBeCloseTo(0.5 * node.split!.score, 6);
  });
  expect(grown.liveAfter).toBe(0);
}

const anySettings = fc.record({
  growth: fc.constantFrom("leafwise" as const, "depthwise" as const),
  maxLeaves: fc.integer({ min: 1, max: 24 }),
  maxDepth: fc.integer({ min: 0, max: 6 }),
  minData: fc.integer({ min: 1, max: 30 }),
  l1: fc.constantFrom(0, 3, 500),
  l2: fc.constantFrom(0, 1, 40),
  catSmooth: fc.constantFrom(0.5, 10, 200),
  catL2: fc.constantFrom(0, 5),
  minGroup: fc.integer({ min: 1, max: 20 }),
  maxCategories: fc.integer({ min: 1, max: 64 }),
  oneVersusRest: fc.integer({ min: 1, max: 8 }),
  // Gradients of up to 1000 and hessians of up to 50: a variance of some 10,000.
  noise: fc.constantFrom(0, 2e3, 2e4),
});

describe("TreeGrower against the slow reference", () => {
  it.each([
    ["numeric", {}],
    ["numeric with missing cells", { missing: true }],
    ["mixed kinds", { categorical: true }],
    ["mixed kinds with missing cells", { categorical: true, missing: true }],
  ])("%s", (_, kinds) => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 21 }),
        anySettings,
        (seed, rows, features, changes) => {
          const example = randomCase(seed, rows, features, kinds);
          fc.pre(example.rows.length > 0);
          expectEqualTrees(example, { ...PLAIN, ...changes });
        },
      ),
      { numRuns: 60, seed: 11 },
    );
  });

  it("grows the same trees when histograms do not fit the pool", () => {
    const example = randomCase(5, 3000, 12, { categorical: true, missing: true });
    const settings = { ...PLAIN, maxLeaves: 40, minData: 20 };
    const roomy = growKernel(example, settings);
    expect(roomy.nodes).toBeGreaterThan(40);
    expect(growKernel(example, { ...settings, histogramBytes: 1 })).toEqual(roomy);
  });

  it("does not depend on the order of rows", () => {
    const example = randomCase(6, 2000, 9, { categorical: true, missing: true });
    const forward = growKernel(example, PLAIN);
    const backward = growKernel({ ...example, rows: example.rows.toReversed() }, PLAIN);
    expect(backward).toEqual(forward);
  });

  it("splits rows wider than a gather block's vector", () => {
    expectEqualTrees(randomCase(8, 400, 150, { missing: true }), PLAIN);
  });
});

describe("random thresholds", () => {
  it("depend on the key alone and stay within the node's bins", () => {
    const example = randomCase(9, 1500, 6, { categorical: true, missing: true });
    const settings = { ...PLAIN, randomThresholds: true };
    const first = growKernel(example, settings);
    expect(growKernel(example, settings)).toEqual(first);
    expect(first.nodes).toBeGreaterThan(5);
    for (let node = 0; node < first.nodes; node++) {
      if (first.left[node] < 0) continue;
      expect(first.count[first.left[node]]).toBeGreaterThan(0);
      expect(first.count[first.left[node] + 1]).toBeGreaterThan(0);
      expect(first.gain[node]).toBeGreaterThan(0);
    }
  });
});
