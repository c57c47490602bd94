import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { deriveKey } from "../../compute/random.ts";
import { DataError } from "../../data/table.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { predictTrees } from "../predictor.ts";
import { type ForestSettings, fitForest } from "./fit-forest.ts";
import { nodeMeans, shrinkTrees } from "./shrink.ts";
import { goesLeft, TreeReference } from "./testing/reference.ts";
import { type RandomRows, randomRows } from "./testing/rows.ts";

/** One plain tree on all rows that tries every feature at every node. */
const SINGLE: ForestSettings = {
  trees: 1,
  featureFraction: 1,
  minLeaf: 1,
  maxLeaves: 1_000_000,
  maxDepth: 0,
  randomCuts: false,
  bootstrap: false,
  sampleFraction: 1,
  shrinkage: 0,
};

function fit(rows: RandomRows, classes: number, settings: Partial<ForestSettings>, seed = 1) {
  return fitForest(
    {
      data: rows.data,
      target: rows.target,
      classes,
      weights: rows.weights,
      trainRows: allRows(rows),
      key: deriveKey(seed, "forest"),
    },
    { ...SINGLE, ...settings },
  );
}

function allRows(rows: RandomRows): Uint32Array {
  return Uint32Array.from({ length: rows.data.rows }, (_, row) => row);
}

interface Visited {
  readonly node: number;
  readonly depth: number;
  readonly rows: readonly number[];
  readonly left: readonly number[];
  readonly right: readonly number[];
}

/** Sends rows down tree 0. */
function walk(trees: TreeEnsemble, each: RandomRows): Visited[] {
  const visited: Visited[] = [];
  const visit = (node: number, depth: number, rows: readonly number[]): void => {
    const feature = trees.feature[node];
    if (feature < 0) {
      visited.push({ node, depth, rows, left: [], right: [] });
      return;
    }
    const { cells, valueBins } = each.columns[feature];
    const left = rows.filter((row) => goesLeft(trees, node, cells[row], valueBins));
    const right = rows.filter((row) => !goesLeft(trees, node, cells[row], valueBins));
    visited.push({ node, depth, rows, left, right });
    visit(trees.left[node], depth + 1, left);
    visit(trees.right[node], depth + 1, right);
  };
  const { weights } = each;
  visit(
    0,
    0,
    [...allRows(each)].filter((row) => weights === null || weights[row] > 0),
  );
  return visited;
}

const cases = fc.record({
  seed: fc.nat(),
  rows: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 160 })),
  columns: fc.integer({ min: 1, max: 5 }),
  classes: fc.constantFrom(0, 2, 3, 5),
  criterion: fc.constantFrom("gini" as const, "entropy" as const),
  weighted: fc.boolean(),
  bins: fc.constantFrom(3, 20, 255),
  minLeaf: fc.constantFrom(1, 1, 4),
  randomCuts: fc.boolean(),
  maxDepth: fc.constantFrom(0, 0, 3),
});

describe("a tree", () => {
  it("makes the best split at every node, and leaves only what cannot be split", () => {
    fc.assert(
      fc.property(cases, ({ minLeaf, randomCuts, maxDepth, criterion, ...shape }) => {
        const each = randomRows(shape);
        fc.pre(each.weights === null || each.weights.some((weight) => weight > 0));
        const { classes } = shape;
        const trees = fit(each, classes, { minLeaf, randomCuts, maxDepth, criterion });
        const reference = new TreeReference(each, classes, minLeaf, criterion);
        const numeric = each.columns.every(({ kind }) => kind === "numeric");
        const k = trees.valuesPerNode;
        const scale = 1e-7 * (classes === 0 ? 1e4 * shape.rows : shape.rows);
        for (const { node, depth, rows, left, right } of walk(trees, each)) {
          expect(trees.cover[node]).toBeCloseTo(reference.weight(rows), 6);
          if (trees.feature[node] >= 0) {
            expect(Math.min(left.length, right.length)).toBeGreaterThanOrEqual(minLeaf);
            const gain = reference.gain(left, right);
            const column = each.columns[trees.feature[node]];
            const isExact = classes < 3 && !(randomCuts && column.kind === "categorical");
            // A split of classes may gain nothing.
            const score = classes < 3 ? Math.max(0, reference.score(column, left, right)) : gain;
            if (isExact || column.kind === "numeric") {
              expect(Math.abs(trees.gain[node] - score)).toBeLessThan(scale);
            } else expect(trees.gain[node]).toBeLessThan(gain + scale);
            expect([...trees.value.subarray(node * k, (node + 1) * k)]).toEqual(
              new Array(k).fill(0),
            );
            // The best subset of categories is sure to be tried only for one target, and only
            // where sides of any size will do.
            const exact = numeric || (classes < 3 && minLeaf === 1);
            const best = reference.bestGain(rows);
            expect(gain).toBeLessThan(best + scale);
            if (exact && !randomCuts) {
              const bestScore = numeric ? best : reference.bestScore(rows);
              expect(trees.gain[node]).toBeGreaterThan(bestScore - scale);
            }
          } else {
            reference.mean(rows).forEach((mean, c) => {
              expect(trees.value[node * k + c]).toBeCloseTo(mean, 5);
            });
            const settled =
              reference.isPure(rows) ||
              rows.length < 2 * minLeaf ||
              (maxDepth > 0 && depth === maxDepth);
            // A random cut may miss the admissible ones; the best cut may not.
            if (!settled && numeric && (minLeaf === 1 || !randomCuts)) {
              expect(reference.bestGain(rows)).toBeLessThan(scale);
            }
            if (!settled && !numeric && classes < 3 && minLeaf === 1 && !randomCuts) {
              expect(reference.bestScore(rows)).toBeLessThan(scale);
            }
          }
        }
      }),
      { numRuns: 250 },
    );
  });

  it("splits the most promising leaf first where leaves are limited", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 2, max: 12 }), (seed, maxLeaves) => {
        const shape = { rows: 150, columns: 4, classes: 0, weighted: false, bins: 40 };
        const each = randomRows({ seed, ...shape });
        const trees = fit(each, 0, { maxLeaves });
        const visited = walk(trees, each);
        const splits = visited.filter(({ node }) => trees.feature[node] >= 0);
        expect(visited.length - splits.length).toBeLessThanOrEqual(maxLeaves);
        const reference = new TreeReference(each, 0, 1);
        // Children are numbered in the order of splitting, so a leaf was open from then on.
        const inOrder = splits.toSorted((a, b) => trees.left[a.node] - trees.left[b.node]);
        for (const leaf of visited.filter(({ node }) => trees.feature[node] < 0)) {
          const possible = reference.bestScore(leaf.rows);
          for (const split of inOrder) {
            if (trees.left[split.node] <= leaf.node) continue;
            expect(trees.gain[split.node]).toBeGreaterThan(possible - 1e-3);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it("shrinks each step from a parent to its child by the parent's weight", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(0, 2, 3), fc.boolean(), (seed, classes, weighted) => {
        const each = randomRows({ seed, rows: 80, columns: 3, classes, weighted, bins: 9 });
        const shrinkage = 2.5;
        const trees = fit(each, classes, { shrinkage });
        const reference = new TreeReference(each, classes, 1);
        const visited = new Map(walk(trees, each).map((visit) => [visit.node, visit]));
        const k = trees.valuesPerNode;
        const check = (node: number, value: readonly number[]): void => {
          const visit = visited.get(node);
          if (visit === undefined) throw new Error("not visited");
          if (trees.feature[node] < 0) {
            value.forEach((v, c) => {
              expect(trees.value[node * k + c]).toBeCloseTo(v, 5);
            });
            return;
          }
          const mean = reference.mean(visit.rows);
          const keep = 1 / (1 + shrinkage / reference.weight(visit.rows));
          for (const [child, rows] of [
            [trees.left[node], visit.left],
            [trees.right[node], visit.right],
          ] as const) {
            const own = reference.mean(rows);
            check(
              child,
              value.map((v, c) => v + keep * (own[c] - mean[c])),
            );
          }
        };
        check(0, reference.mean(visited.get(0)?.rows ?? []));
      }),
      { numRuns: 30 },
    );
  });
});

describe("shrinkTrees", () => {
  it("makes of plain means what the kernel does where it knows λ, for several at once", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(2, 3), fc.boolean(), (seed, classes, weighted) => {
        const each = randomRows({ seed, rows: 60, columns: 3, classes, weighted, bins: 9 });
        const plain = fit(each, classes, { trees: 3, bootstrap: true });
        const lambdas = [0, 0.5, 7];
        const found = shrinkTrees(plain, nodeMeans(plain), lambdas);
        const k = plain.valuesPerNode;
        for (const [place, shrinkage] of lambdas.entries()) {
          const { value } = fit(each, classes, { trees: 3, bootstrap: true, shrinkage });
          for (let at = 0; at < value.length; at++) {
            const node = Math.floor(at / k);
            expect(found.value[node * 3 * k + place * k + (at % k)]).toBeCloseTo(value[at], 5);
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("a forest", () => {
  const shape = { seed: 5, rows: 500, columns: 6, classes: 3, weighted: false, bins: 60 };
  const settings: Partial<ForestSettings> = { trees: 8, featureFraction: 0.4, bootstrap: true };

  it("is a function of its key, tree by tree, and frees what it took", () => {
    const each = randomRows(shape);
    const before = Arena.attach(each.data.arena).liveBytes;
    const forest = fit(each, 3, settings);
    expect(Arena.attach(each.data.arena).liveBytes).toBe(before);
    expect(fit(each, 3, settings)).toEqual(forest);
    expect(fit(each, 3, settings, 2).feature).not.toEqual(forest.feature);
    // A tree does not depend on how many others there are.
    const shorter = fit(each, 3, { ...settings, trees: 5 });
    expect(shorter.feature).toEqual(forest.feature.subarray(0, shorter.feature.length));
    expect(forest.feature.subarray(0, forest.treeStarts[1])).not.toEqual(
      forest.feature.subarray(forest.treeStarts[1], forest.treeStarts[2]),
    );
  });

  it("predicts shares of classes that sum to 1, alike for any list of rows", () => {
    const each = randomRows(shape);
    const forest = fit(each, 3, { ...settings, shrinkage: 1 });
    const all = predictTrees(forest, each.data, null, [0, 0, 0]);
    for (let row = 0; row < shape.rows; row++) {
      const shares = [...all.subarray(row * 3, row * 3 + 3)];
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    }
    const some = predictTrees(forest, each.data, Uint32Array.of(499, 0), [0, 0, 0]);
    expect([...some]).toEqual([...all.subarray(1497, 1500), ...all.subarray(0, 3)]);
  });

  it("draws bags of the size asked for, with and without replacement", () => {
    const each = randomRows({ ...shape, rows: 2000, classes: 0 });
    const weights = (part: Partial<ForestSettings>) => {
      const forest = fit(each, 0, { ...settings, trees: 3, ...part });
      return [0, 1, 2].map((tree) => forest.cover[forest.treeStarts[tree]]);
    };
    expect(weights({ sampleFraction: 1 })).toEqual([2000, 2000, 2000]);
    expect(weights({ sampleFraction: 0.3 })).toEqual([600, 600, 600]);
    expect(weights({ sampleFraction: 0.3, bootstrap: false })).toEqual([600, 600, 600]);
    // Without replacement, pure leaves hold one row each; with it, about 1 / e are left out.
    const targets = new Set(each.target);
    const leaves = (part: Partial<ForestSettings>): number => {
      const unique = { ...each.data };
      const cells = Uint8Array.from({ length: 2000 }, (_, row) => row % 200);
      const other = Uint8Array.from({ length: 2000 }, (_, row) => Math.floor(row / 200));
      Arena.attach(unique.arena)
        .u8(unique.binned?.columnMajor ?? 0, 2000)
        .set(cells);
      Arena.attach(unique.arena)
        .u8((unique.binned?.columnMajor ?? 0) + (unique.binned?.columnStride ?? 0), 2000)
        .set(other);
      const bins = (unique.binned?.bins ?? []).map((each_, f) => {
        return f < 2 ? { ...each_, kind: "numeric" as const, valueBins: 255 } : each_;
      });
      if (unique.binned === null) throw new Error("no bins");
      const data = { ...unique, binned: { ...unique.binned, bins } };
      const forest = fit({ ...each, data }, 0, { trees: 1, ...part });
      return (forest.feature.length + 1) / 2;
    };
    expect(targets.size).toBe(2000);
    expect(leaves({ bootstrap: false })).toBe(2000);
    const distinct = leaves({ bootstrap: true }) / 2000;
    expect(Math.abs(distinct - (1 - Math.exp(-1)))).toBeLessThan(0.03);
  });

  it("says so when all rows have weight 0", () => {
    const each = randomRows(shape);
    const weights = new Float64Array(shape.rows);
    expect(() => fit({ ...each, weights }, 3, settings)).toThrow(DataError);
  });
});
