import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { compactTrees } from "./compact.ts";
import { KeptTrees } from "./kept-trees.ts";
import { type RandomShape, randomCase } from "./shap/testing/random-ensemble.ts";

const SHAPE: RandomShape = {
  seed: 3,
  features: 9,
  rows: 60,
  trees: 12,
  depth: 6,
  valuesPerNode: 1,
  outputs: 2,
  emptyNodes: true,
};

describe("KeptTrees", () => {
  it.each([1, 3])("give the same bits loose and resident, %i values a leaf", (valuesPerNode) => {
    const outputs = valuesPerNode === 1 ? 2 : 3;
    const { trees, data } = randomCase({ ...SHAPE, valuesPerNode, outputs });
    const compact = compactTrees(trees);
    const loose = new KeptTrees(compact, SHAPE.features, outputs);
    const resident = new KeptTrees(compact, SHAPE.features, outputs);
    const bins = data.binned?.bins ?? [];
    resident.reside(data.arena, bins);
    const base = new Float64Array(outputs).fill(0.25);
    const arena = Arena.attach(data.arena);
    const live = arena.liveBytes;
    for (const rows of [null, Uint32Array.of(7), Uint32Array.of(59, 0, 3), new Uint32Array(0)]) {
      expect(resident.predict(data, rows, base)).toEqual(loose.predict(data, rows, base));
      expect(resident.explain(data, rows)).toEqual(loose.explain(data, rows));
    }
    expect(arena.liveBytes).toBe(live);
    expect(resident.importance()).toEqual(loose.importance());
    expect(resident.tensors()).toEqual(loose.tensors());
  });

  it("answer for data of another arena as well, and free what does not fit", () => {
    const { trees, data } = randomCase(SHAPE);
    const kept = new KeptTrees(compactTrees(trees), SHAPE.features, SHAPE.outputs);
    const expected = kept.predict(data, null, [0, 0]);
    const full = Arena.create(2 << 20);
    const taken = full.liveBytes;
    // Some 100,000 nodes need more than the arena may grow to.
    const large = randomCase({ ...SHAPE, trees: 2000, depth: 8 });
    const crowd = new KeptTrees(compactTrees(large.trees), SHAPE.features, SHAPE.outputs);
    expect(() => crowd.reside(full.handle(), large.data.binned?.bins ?? [])).toThrow(
      /kernel memory/,
    );
    expect(full.liveBytes).toBe(taken);
    kept.reside(Arena.create().handle(), data.binned?.bins ?? []);
    expect(kept.predict(data, null, [0, 0])).toEqual(expected);
  });
});
