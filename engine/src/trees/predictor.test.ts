import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { withScratch } from "../compute/scratch.ts";
import { EnsembleBuilder } from "./builder.ts";
import { compactTrees } from "./compact.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { TreeGrower } from "./grower.ts";
import { predictTrees } from "./predictor.ts";
import { binGoesLeft, type RandomCase, randomCase } from "./shap/testing/random-ensemble.ts";
import { ensembleFromTensors, ensembleToTensors, type TreeTensors } from "./tensors.ts";
import { type BinColumn, encodeBins, randomColumns } from "./testing/random-bins.ts";

/** Grows trees on random gradients, with values that are whole numbers. */
function grownEnsemble(columns: readonly BinColumn[], trees: number): TreeEnsemble {
  const data = encodeBins(columns);
  return withScratch(Arena.attach(data.arena), (scratch) => {
    const { arena } = scratch;
    const rows = scratch.u32(Array.from({ length: data.rows }, (_, row) => row));
    const packed = scratch.allocate(data.rows * 8);
    const grower = new TreeGrower(scratch, data.binned!, data.rows, 0, {
      growth: "leafwise",
      maxLeaves: 12,
      maxDepth: 0,
      minData: 1,
      minHessian: 0,
      minGain: 0,
      l1: 0,
      l2: 0,
      catSmooth: 1,
      catL2: 0,
      minGroup: 1,
      maxCategories: 256,
      oneVersusRest: 3,
      randomThresholds: false,
      monotone: null,
    });
    const builder = new EnsembleBuilder();
    for (let tree = 0; tree < trees; tree++) {
      const gradients = arena.i64(packed, data.rows);
      for (let row = 0; row < data.rows; row++) {
        gradients[row] = (BigInt(((row + 3) * (tree + 7) * 2654435761) % 1001) << 32n) + 1n;
      }
      const nodes = grower.grow({
        rows,
        rowCount: data.rows,
        features: Int32Array.from(columns.keys()),
        packed,
        gradientScale: 1,
        hessianScale: 1,
        key: { low: 0, high: 0 },
      });
      for (let node = 0; node < nodes; node++) {
        grower.tree.value[node] = grower.tree.feature[node] < 0 ? node * 10 + tree : 0;
      }
      builder.append(grower, nodes, tree % 2);
    }
    return builder.build();
  });
}

/** One row down one tree, as `TreeEnsemble` describes it. */
function leafOf(trees: TreeEnsemble, tree: number, columns: readonly BinColumn[], row: number) {
  let node = trees.treeStarts[tree];
  while (trees.feature[node] >= 0) {
    const { bins, valueBins } = columns[trees.feature[node]];
    const bin = bins[row];
    let left: boolean;
    if (trees.isCategorical[node]) {
      const word = trees.categorySets[trees.splitBin[node] * 8 + (bin >> 5)];
      left = ((word >>> (bin & 31)) & 1) === 1;
    } else left = bin === valueBins ? trees.missingLeft[node] === 1 : bin <= trees.splitBin[node];
    // The set of a categorical split and its missing direction agree.
    if (bin === valueBins) expect(left).toBe(trees.missingLeft[node] === 1);
    node = left ? trees.left[node] : trees.right[node];
  }
  return node;
}

const rowOf = (values: Float64Array, row: number, outputs: number): number[] => [
  ...values.subarray(row * outputs, (row + 1) * outputs),
];

/** Every row down every tree, in the order of the trees. */
function walked(trees: TreeEnsemble, each: RandomCase, base: Float64Array): Float64Array {
  const { data, cells } = each;
  const { features, rows, binned } = data;
  const sums = Float64Array.from({ length: rows * base.length }, (_, i) => base[i % base.length]);
  for (let row = 0; row < rows; row++) {
    for (let tree = 0; tree < trees.treeOutput.length; tree++) {
      let node = trees.treeStarts[tree];
      while (trees.feature[node] >= 0) {
        const feature = trees.feature[node];
        const bin = cells[row * features.length + feature];
        const isLeft = binGoesLeft(trees, node, bin, binned!.bins[feature].valueBins);
        node = isLeft ? trees.left[node] : trees.right[node];
      }
      const { valuesPerNode: width } = trees;
      const first = row * base.length + (width === 1 ? trees.treeOutput[tree] : 0);
      for (let k = 0; k < width; k++) sums[first + k] += trees.value[node * width + k];
    }
  }
  return sums;
}

describe("predictTrees", () => {
  it("adds what a walk down each tree finds", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 700 }), (seed, rows) => {
        const columns = randomColumns(seed, rows, 5, { categorical: true, missing: true });
        const trees = grownEnsemble(columns, 5);
        const data = encodeBins(columns);
        const expected = Float64Array.from({ length: rows * 2 }, (_, i) => (i % 2) + 0.5);
        for (let row = 0; row < rows; row++) {
          for (let tree = 0; tree < 5; tree++) {
            expected[row * 2 + (tree % 2)] += trees.value[leafOf(trees, tree, columns, row)];
          }
        }
        const arena = Arena.attach(data.arena);
        const live = arena.liveBytes;
        expect(predictTrees(trees, data, null, [0.5, 1.5])).toEqual(expected);
        const some = Uint32Array.from({ length: Math.min(rows, 7) }, (_, i) => (i * 13) % rows);
        expect(predictTrees(trees, data, some, [0.5, 1.5])).toEqual(
          Float64Array.from([...some].flatMap((row) => [expected[row * 2], expected[row * 2 + 1]])),
        );
        expect(arena.liveBytes).toBe(live);
      }),
      { numRuns: 40, seed: 3 },
    );
  });

  it("adds, bit for bit and in their order, what trees of any size and shape hold", () => {
    const shapes = fc.record({
      seed: fc.nat(),
      features: fc.integer({ min: 1, max: 40 }),
      rows: fc.integer({ min: 1, max: 300 }),
      trees: fc.integer({ min: 1, max: 9 }),
      // Up to some thousands of leaves, most of them below what rows pass side by side.
      depth: fc.integer({ min: 0, max: 14 }),
      outputs: fc.integer({ min: 1, max: 3 }),
      isMulti: fc.boolean(),
      isSingle: fc.boolean(),
    });
    fc.assert(
      fc.property(shapes, ({ isMulti, isSingle, ...shape }) => {
        const { outputs } = shape;
        const valuesPerNode = isMulti ? outputs : 1;
        const each = randomCase({ ...shape, valuesPerNode, emptyNodes: false });
        const trees = isSingle
          ? { ...each.trees, value: each.trees.value.map((value) => Math.fround(value)) }
          : each.trees;
        const base = Float64Array.from({ length: outputs }, (_, k) => k / 3);
        const expected = walked(trees, each, base);
        expect(predictTrees(trees, each.data, null, base)).toEqual(expected);
        const rows = Uint32Array.from({ length: 70 }, (_, i) => (i * 31) % shape.rows);
        for (const some of [rows, rows.subarray(0, 10), rows.subarray(0, 3)]) {
          expect(predictTrees(trees, each.data, some, base)).toEqual(
            Float64Array.from([...some].flatMap((row) => rowOf(expected, row, outputs))),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  it("turns margins into probabilities", () => {
    const columns = randomColumns(4, 50, 3);
    const trees = grownEnsemble(columns, 2);
    const small = { ...trees, value: trees.value.map((value) => value / 50) };
    const data = encodeBins(columns);
    const margins = predictTrees(small, data, null, [0, 0]);
    const shares = predictTrees(small, data, null, [0, 0], true);
    for (let row = 0; row < 50; row++) {
      const [a, b] = [margins[2 * row], margins[2 * row + 1]];
      expect(shares[2 * row]).toBeCloseTo(1 / (1 + Math.exp(b - a)), 12);
      expect(shares[2 * row] + shares[2 * row + 1]).toBeCloseTo(1, 12);
    }
  });

  it("survives being stored", () => {
    const columns = randomColumns(8, 300, 6, { categorical: true, missing: true });
    const grown = grownEnsemble(columns, 4);
    const trees = compactTrees(grown);
    const data = encodeBins(columns);
    // The values are whole numbers, so that nothing was rounded.
    expect(predictTrees(trees, data, null, [0, 0])).toEqual(
      predictTrees(grown, data, null, [0, 0]),
    );
    const stored = ensembleToTensors(trees);
    const load = (changes: TreeTensors, outputs = 2) =>
      ensembleFromTensors({ ...stored, ...changes }, 1, 6, outputs);
    expect(load({})).toEqual(trees);
    expect(compactTrees(trees)).toEqual(trees);
    expect(() => ensembleToTensors(grown)).toThrow(/preorder/);
    expect(() => load({}, 1)).toThrow(/adds to output/);
    expect(() => load({ gain: stored["gain"].slice(1) })).toThrow(/"gain" has/);
    expect(() => load({ leaf: Float64Array.of(1) })).toThrow(/"leaf" is a Float64Array/);
    expect(() => load({ category_sets: new Uint32Array(1) })).toThrow(/words for \d+ sets/);
    expect(() => load({ split_bin: Int32Array.from(stored["split_bin"], () => 999) })).toThrow(
      /has split 999/,
    );
    // Two leaf marks exchanged: as many as before, but of other trees.
    const leaf = Uint8Array.from(stored["leaf"]);
    leaf[0] ^= 0b11;
    leaf.reverse();
    expect(() => load({ leaf })).toThrow(/stored trees are damaged/);
    const starts = Int32Array.from(stored["tree_starts"]);
    starts[1] += 2;
    expect(() => load({ tree_starts: starts })).toThrow(/tree 0 ends at another node/);
  });
});
