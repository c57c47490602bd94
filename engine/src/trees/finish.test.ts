/** Leaves' values, covers and the scores of their rows beside a loop over each leaf's rows. */

import { expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { withScratch } from "../compute/scratch.ts";
import { TreeGrower } from "./grower.ts";
import { encodeBins, randomColumns } from "./testing/random-bins.ts";

const FINE = { gradient: 2 ** 20, hessian: 2 ** 22 };
const SHRINKAGE = 0.3;
const L2 = 0.5;

/** Rounded to 24 bits, to even where two are as near. */
const toSingle = Math.fround;

function roundHalfToEven(x: number): bigint {
  const low = Math.floor(x);
  const rest = x - low;
  const up = rest > 0.5 || (rest === 0.5 && low % 2 !== 0);
  return BigInt(up ? low + 1 : low);
}

interface Finished {
  readonly nodes: number;
  readonly values: number[];
  readonly covers: number[];
  readonly scores: Float64Array;
}

/** @param maxLeaves that no tree of these rows reaches: above 256 rows are not marked */
function finish(rows: number, maxLeaves: number, seed: number, weighted: boolean): Finished {
  const random = new CounterRandom(deriveKey(seed, "finish"));
  const data = encodeBins(randomColumns(seed, rows, 4, { missing: true, categorical: true }));
  const arena = Arena.attach(data.arena);
  return withScratch(arena, (scratch) => {
    const taken = Uint32Array.from({ length: rows }, (_, row) => row).filter(
      () => random.nextFloat() < 0.9,
    );
    const slopes = Float32Array.from({ length: 2 * rows }, (_, i) =>
      i % 2 === 0 ? random.nextGaussian() : 0.1 + random.nextFloat(),
    );
    const weights = Float64Array.from({ length: rows }, () => random.nextInteger(3));
    const began = Float64Array.from({ length: rows }, () => random.nextGaussian());
    const gradients = scratch.allocate(8 * rows);
    const packed = scratch.allocate(8 * rows);
    const [list, scores] = [scratch.u32(taken), scratch.f64(began)];
    const weighing = weighted ? scratch.f64(weights) : 0;
    const grower = new TreeGrower(scratch, data.binned!, taken.length, 0, {
      ...{ growth: "leafwise", maxLeaves, maxDepth: 0, minData: 600, minHessian: 0, minGain: 0 },
      ...{ l1: 0, l2: L2, catSmooth: 10, catL2: 5, minGroup: 4, maxCategories: 32 },
      ...{ oneVersusRest: 4, randomThresholds: false, monotone: null },
    });
    arena.f32(gradients, 2 * rows).set(slopes);
    arena
      .i64(packed, rows)
      .set(
        BigInt64Array.from(
          { length: rows },
          (_, row) =>
            (BigInt(Math.round(1000 * slopes[2 * row])) << 32n) +
            BigInt(Math.round(1000 * slopes[2 * row + 1])),
        ),
      );
    const nodes = grower.grow({
      ...{ rows: list, rowCount: taken.length, features: Int32Array.of(0, 1, 2, 3), packed },
      ...{ gradientScale: 1000, hessianScale: 1000, key: { low: 1, high: 2 } },
    });
    grower.finish(nodes, gradients, FINE, SHRINKAGE, weighing, scores);
    const { tree } = grower;
    const after = arena.f64(scores, rows).slice();
    const expected = began.slice();
    for (let node = 0; node < nodes; node++) {
      if (tree.feature[node] >= 0) continue;
      let [gradient, hessian] = [0n, 0n];
      let cover = 0;
      for (const row of grower.rowsOf(node)) {
        gradient += roundHalfToEven(slopes[2 * row] * FINE.gradient);
        hessian += roundHalfToEven(slopes[2 * row + 1] * FINE.hessian);
        cover += weighted ? weights[row] : 1;
      }
      const g = Number(gradient) / FINE.gradient;
      const h = Number(hessian) / FINE.hessian + L2;
      const value = toSingle((-g / h) * SHRINKAGE);
      expect(tree.value[node]).toBe(value);
      expect(tree.cover[node]).toBe(cover);
      for (const row of grower.rowsOf(node)) expected[row] += value;
    }
    expect(after).toEqual(expected);
    return {
      nodes,
      values: [...tree.value.subarray(0, nodes)],
      covers: [...tree.cover.subarray(0, nodes)],
      scores: after,
    };
  });
}

it.each([false, true])(
  "are those of the loop, with marks and without (weights: %s)",
  (weighted) => {
    for (const [seed, rows] of [40_000, 36_501, 900].entries()) {
      const marked = finish(rows, 200, seed, weighted);
      expect(marked).toEqual(finish(rows, 300, seed, weighted));
      if (rows > 10_000) expect(marked.nodes).toBeGreaterThan(20);
    }
  },
);
