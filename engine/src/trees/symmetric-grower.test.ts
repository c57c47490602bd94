/** Symmetric trees against a slow, obvious search: every test of every level is the best there is. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { withScratch } from "../compute/scratch.ts";
import { TreeGrower } from "./grower.ts";
import type { GrowthSettings } from "./growth-settings.ts";
import { type BinColumn, encodeBins, randomColumns } from "./testing/random-bins.ts";

const LAMBDA = 2;

interface Case {
  readonly columns: readonly BinColumn[];
  readonly rows: readonly number[];
  readonly gradients: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
}

function randomCase(seed: number, count: number, features: number): Case {
  const random = new CounterRandom(deriveKey(seed, "symmetric"));
  const columns = randomColumns(seed, count, features, { categorical: true, missing: true });
  return {
    columns,
    rows: Array.from({ length: count }, (_, row) => row).filter(() => random.nextFloat() < 0.9),
    gradients: Float64Array.from(
      { length: count },
      (_, row) => random.nextInteger(2001) - 1000 + 100 * (columns[0].bins[row] & 3),
    ),
    // Rows without weight are in the tree, and have no say in it.
    weights: Float64Array.from({ length: count }, () => random.nextInteger(4)),
  };
}

/** The same with many more bins than rows, so that nodes are soon read row by row. */
function withManyBins(example: Case): Case {
  const columns = example.columns.map((column): BinColumn => {
    if (column.kind === "categorical") return column;
    const parts = Math.floor(255 / column.valueBins);
    const valueBins = column.valueBins * parts;
    const bins = Array.from(column.bins, (bin, row) =>
      bin === column.valueBins ? valueBins : bin * parts + (row % parts),
    );
    return { kind: "numeric", valueBins, bins };
  });
  return { ...example, columns };
}

interface Test {
  readonly feature: number;
  /** By bin. */
  readonly goesLeft: readonly boolean[];
}

interface Grown {
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly count: readonly number[];
  readonly tests: readonly (Test | null)[];
  readonly rows: readonly (readonly number[])[];
}

function grow(
  { columns, rows, gradients, weights }: Case,
  changes: Partial<GrowthSettings> = {},
  noise = 0,
  key = 1,
): Grown {
  const data = encodeBins(columns);
  const arena = Arena.attach(data.arena);
  return withScratch(arena, (scratch) => {
    const packed = scratch.allocate(data.rows * 8);
    const list = scratch.u32(rows);
    const grower = new TreeGrower(scratch, data.binned!, rows.length, 0, {
      growth: "symmetric",
      maxLeaves: 16,
      maxDepth: 4,
      minData: 1,
      minHessian: 0,
      minGain: 0,
      l1: 0,
      l2: LAMBDA,
      catSmooth: 0,
      catL2: 0,
      minGroup: 1,
      maxCategories: 1,
      oneVersusRest: 256,
      randomThresholds: false,
      monotone: null,
      ...changes,
    });
    arena.i64(packed, data.rows).set(
      BigInt64Array.from({ length: data.rows }, (_, row) => {
        const gradient = weights[row] > 0 ? BigInt(gradients[row]) : 0n;
        return (gradient << 32n) + BigInt(weights[row]);
      }),
    );
    const nodes = grower.grow({
      rows: list,
      rowCount: rows.length,
      features: Int32Array.from(columns.keys()),
      packed,
      gradientScale: 1,
      hessianScale: 1,
      scoreNoise: noise,
      key: { low: key, high: 2 },
    });
    const { tree } = grower;
    const places = Array.from({ length: nodes }, (_, node) => node);
    return {
      left: places.map((node) => tree.left[node]),
      right: places.map((node) => tree.right[node]),
      count: places.map((node) => tree.count[node]),
      rows: places.map((node) => [...grower.rowsOf(node)].toSorted((a, b) => a - b)),
      tests: places.map((node) => {
        const feature = tree.feature[node];
        if (feature < 0) return null;
        const { valueBins } = columns[feature];
        const goesLeft = Array.from({ length: valueBins + 1 }, (_, bin) => {
          if (bin === valueBins) return tree.missingLeft[node] === 1;
          return tree.isCategorical[node] === 1
            ? ((tree.sets[tree.splitBin[node] * 8 + (bin >> 5)] >>> (bin & 31)) & 1) === 1
            : bin <= tree.splitBin[node];
        });
        return { feature, goesLeft };
      }),
    };
  });
}

function candidates(columns: readonly BinColumn[]): Test[] {
  return columns.flatMap(({ kind, valueBins }, feature) => {
    const bins = Array.from({ length: valueBins + 1 }, (_, bin) => bin);
    if (kind === "categorical") {
      return bins.map((one) => ({ feature, goesLeft: bins.map((bin) => bin === one) }));
    }
    return bins.slice(0, valueBins).flatMap((cut) =>
      [false, true].map((missingLeft) => ({
        feature,
        goesLeft: bins.map((bin) => (bin === valueBins ? missingLeft : bin <= cut)),
      })),
    );
  });
}

const side = ({ columns }: Case, { feature, goesLeft }: Test, row: number): boolean =>
  goesLeft[columns[feature].bins[row]];

/** The cosine of what the leaves would say and the gradients, times what does not depend on the test. */
function scoreOf(example: Case, level: readonly (readonly number[])[], test: Test): number {
  let over = 0;
  let under = 0;
  for (const rows of level) {
    for (const left of [true, false]) {
      const own = rows.filter((row) => side(example, test, row) === left);
      const weight = own.reduce((sum, row) => sum + example.weights[row], 0);
      const gradient = own.reduce(
        (sum, row) => sum + (example.weights[row] > 0 ? example.gradients[row] : 0),
        0,
      );
      const mean = gradient / (weight + LAMBDA);
      over += mean * gradient;
      under += mean * mean * weight;
    }
  }
  return under > 0 ? over / Math.sqrt(under) : 0;
}

const weighted = ({ weights }: Case, rows: readonly number[]): readonly number[] =>
  rows.filter((row) => weights[row] > 0);

describe("a symmetric tree", () => {
  it("asks at each level what is best of all, and parts the rows by it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 2, max: 120 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (seed, count, features, manyBins) => {
          const drawn = randomCase(seed, count, features);
          const example = manyBins ? withManyBins(drawn) : drawn;
          if (example.rows.length === 0) return;
          const tree = grow(example);
          const all = candidates(example.columns);
          let level = [0];
          while (level.some((node) => tree.tests[node] !== null)) {
            // A node that a level leaves whole is parted by a later one, whose children come later.
            const [first] = level
              .filter((node) => tree.tests[node] !== null)
              .toSorted((a, b) => tree.left[a] - tree.left[b]);
            const test = tree.tests[first]!;
            const rows = level.map((node) => tree.rows[node]);
            const score = scoreOf(example, rows, test);
            const possible = all.filter((each) =>
              rows.some((own) => {
                const sides = weighted(example, own).map((row) => side(example, each, row));
                return sides.includes(true) && sides.includes(false);
              }),
            );
            for (const other of possible) {
              expect(score).toBeGreaterThanOrEqual(
                scoreOf(example, rows, other) * (1 - 1e-9) - 1e-9,
              );
            }
            const next: number[] = [];
            for (const node of level) {
              const own = tree.rows[node];
              const left = own.filter((row) => side(example, test, row));
              const leftWeight = weighted(example, left).length;
              if (leftWeight === 0 || leftWeight === weighted(example, own).length) {
                next.push(node);
                continue;
              }
              expect(tree.tests[node]).toEqual(test);
              expect(tree.rows[tree.left[node]]).toEqual(left);
              expect(tree.count[tree.right[node]]).toBe(own.length - left.length);
              next.push(tree.left[node], tree.right[node]);
            }
            level = next;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is the same where histograms are built again from rows", () => {
    const example = randomCase(5, 300, 6);
    expect(grow(example, { histogramBytes: 1 })).toEqual(grow(example));
  });

  it("has as many levels as it is deep, each of them one test", () => {
    const { tests, left } = grow(randomCase(8, 500, 5), { maxDepth: 3, maxLeaves: 8 });
    const asked = tests.filter((test) => test !== null).map((test) => JSON.stringify(test));
    expect(new Set(asked).size).toBe(3);
    expect(left.filter((child) => child < 0)).toHaveLength(asked.length + 1);
  });

  it("is another with noise, by the key alone", () => {
    const example = randomCase(11, 300, 6);
    const noisy = [1, 1, 2].map((key) => grow(example, {}, 2000, key));
    expect(noisy[1]).toEqual(noisy[0]);
    expect(noisy[2]).not.toEqual(noisy[0]);
  });
});
