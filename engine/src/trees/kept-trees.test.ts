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
    const shape = { valuesPerNode, features: SHAPE.features, outputs };
    const loose = new KeptTrees(compact, shape);
    const bins = data.binned?.bins ?? [];
    const resident = KeptTrees.load(loose.tensors(), shape, { arena: data.arena, bins });
    const base = new Float64Array(outputs).fill(0.25);
    const arena = Arena.attach(data.arena);
    const compiled = arena.liveBytes;
    resident.predict(data, null, base);
    expect(arena.liveBytes).toBe(compiled);
    resident.explain(data, null);
    // What the first explanation packed stays.
    const live = arena.liveBytes;
    for (const rows of [null, Uint32Array.of(7), Uint32Array.of(59, 0, 3), new Uint32Array(0)]) {
      expect(resident.predict(data, rows, base)).toEqual(loose.predict(data, rows, base));
      expect(resident.explain(data, rows)).toEqual(loose.explain(data, rows));
    }
    expect(arena.liveBytes).toBe(live);
    expect(resident.importance()).toEqual(loose.importance());
    expect(resident.tensors()).toEqual(loose.tensors());
  });

  it("answer for data of another arena as well, and without one that has no room", () => {
    const { trees, data } = randomCase(SHAPE);
    const shape = { ...SHAPE, valuesPerNode: 1 };
    const loose = new KeptTrees(compactTrees(trees), shape);
    const expected = loose.predict(data, null, [0, 0]);
    const bins = data.binned?.bins ?? [];
    const full = Arena.create(2 << 20);
    const taken = full.liveBytes;
    // Some 100,000 nodes need more than the arena may grow to.
    const large = randomCase({ ...SHAPE, trees: 2000, depth: 8 });
    const crowd = new KeptTrees(compactTrees(large.trees), shape);
    const place = { arena: full.handle(), bins: large.data.binned?.bins ?? [] };
    const crowded = KeptTrees.load(crowd.tensors(), shape, place);
    expect(full.liveBytes).toBe(taken);
    expect(crowded.predict(large.data, null, [0, 0])).toEqual(
      crowd.predict(large.data, null, [0, 0]),
    );
    const elsewhere = { arena: Arena.create().handle(), bins };
    const kept = KeptTrees.load(loose.tensors(), shape, elsewhere);
    expect(kept.predict(data, null, [0, 0])).toEqual(expected);
  });

  it("say what is damaged, wherever they are kept", () => {
    const { trees, data } = randomCase(SHAPE);
    const shape = { ...SHAPE, valuesPerNode: 1 };
    const tensors = new KeptTrees(compactTrees(trees), shape).tensors();
    const changed = (name: string, change: (values: Uint8Array) => void) => {
      const values = Uint8Array.from(tensors[name]);
      change(values);
      return { ...tensors, [name]: values };
    };
    const damaged = [
      changed("leaf", (bits) => bits.reverse()),
      changed("split_feature", (features) => features.fill(SHAPE.features)),
      changed("tree_output", (outputs) => outputs.fill(2)),
      { ...tensors, split_bin: new Int32Array(tensors["split_bin"].length).fill(999) },
      { ...tensors, category_sets: tensors["category_sets"].subarray(1) },
    ];
    const arena = Arena.attach(data.arena);
    const live = arena.liveBytes;
    for (const each of damaged) {
      for (const place of [null, { arena: data.arena, bins: data.binned?.bins ?? [] }]) {
        expect(() => KeptTrees.load(each as typeof tensors, shape, place)).toThrow(/damaged/);
      }
    }
    expect(arena.liveBytes).toBe(live);
  });
});
