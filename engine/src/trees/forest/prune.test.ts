import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactTrees } from "../compact.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { randomCase } from "../shap/testing/random-ensemble.ts";
import { errorOfOneRow, pruneTrees } from "./prune.ts";

/** Gains of all splits below a node, it included. */
function gainBelow(trees: TreeEnsemble, node: number): number {
  if (trees.feature[node] < 0) return 0;
  return (
    trees.gain[node] + gainBelow(trees, trees.left[node]) + gainBelow(trees, trees.right[node])
  );
}

/** Σ cover × value over the leaves below a node. */
function massBelow(trees: TreeEnsemble, node: number): number {
  if (trees.feature[node] < 0) return trees.cover[node] * trees.value[node];
  return massBelow(trees, trees.left[node]) + massBelow(trees, trees.right[node]);
}

describe("pruneTrees", () => {
  it("leaves no subtree that explains less, and keeps each tree's mean", () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0.5, max: 20, noNaN: true }), (seed, least) => {
        const { trees } = randomCase({
          seed,
          features: 5,
          rows: 1,
          trees: 3,
          depth: 7,
          valuesPerNode: 1,
          outputs: 1,
          emptyNodes: false,
        });
        const gain = trees.gain.map((g, node) => (g * ((node * 7919) % 13)) / 4);
        const grown = { ...trees, gain };
        const pruned = compactTrees(pruneTrees(grown, least));
        for (let node = 0; node < pruned.feature.length; node++) {
          if (pruned.feature[node] < 0) continue;
          expect(gainBelow(pruned, node)).toBeGreaterThanOrEqual(least * (1 - 1e-6));
        }
        for (let tree = 0; tree < 3; tree++) {
          const mass = massBelow(grown, grown.treeStarts[tree]);
          expect(massBelow(pruned, pruned.treeStarts[tree])).toBeCloseTo(mass, 2);
        }
        expect(compactTrees(pruneTrees(grown, 0))).toEqual(compactTrees(grown));
      }),
      { numRuns: 40 },
    );
  });

  it("measures by the error that one row adds", () => {
    const target = Float64Array.of(1, 3, 100, 5);
    expect(errorOfOneRow(target, null, Uint32Array.of(0, 1, 3), 3)).toBeCloseTo(8 / 3, 12);
    const weights = Float64Array.of(2, 1, 0, 1);
    expect(errorOfOneRow(target, weights, Uint32Array.of(0, 2, 3), 3)).toBeCloseTo(12 / 3, 12);
  });
});
