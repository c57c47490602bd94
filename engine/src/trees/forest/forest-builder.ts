/** Collects the trees of a forest into one TreeEnsemble whose sums are averages over the trees. */

import type { TreeEnsemble } from "../ensemble.ts";
import type { GrownForestTree } from "./tree-slots.ts";

interface Tree {
  readonly nodes: number;
  readonly arrays: Omit<
    TreeEnsemble,
    "valuesPerNode" | "treeStarts" | "treeOutput" | "categorySets"
  >;
  readonly sets: Uint32Array;
}

export class ForestBuilder {
  readonly #valuesPerNode: number;
  readonly #trees: Tree[] = [];

  constructor(valuesPerNode: number) {
    this.#valuesPerNode = valuesPerNode;
  }

  /** In any order. */
  put(number: number, { nodes, sets, ...views }: GrownForestTree): void {
    this.#trees[number] = {
      nodes,
      arrays: {
        feature: views.feature.slice(),
        splitBin: views.splitBin.slice(),
        isCategorical: views.isCategorical.slice(),
        missingLeft: views.missingLeft.slice(),
        left: views.left.slice(),
        right: views.right.slice(),
        value: views.value.slice(),
        cover: views.cover.slice(),
        gain: views.gain.slice(),
      },
      sets: sets.slice(),
    };
  }

  /** @param count the first so many trees, all of which are there */
  build(count: number): TreeEnsemble {
    const trees = this.#trees.slice(0, count);
    const k = this.#valuesPerNode;
    const treeStarts = new Int32Array(trees.length + 1);
    trees.forEach(({ nodes }, t) => {
      treeStarts[t + 1] = treeStarts[t] + nodes;
    });
    const nodes = treeStarts[trees.length];
    const ensemble: TreeEnsemble = {
      valuesPerNode: k,
      treeStarts,
      treeOutput: new Int32Array(trees.length),
      feature: new Int32Array(nodes),
      splitBin: new Int32Array(nodes),
      isCategorical: new Uint8Array(nodes),
      missingLeft: new Uint8Array(nodes),
      left: new Int32Array(nodes),
      right: new Int32Array(nodes),
      value: new Float64Array(nodes * k),
      cover: new Float64Array(nodes),
      gain: new Float64Array(nodes),
      categorySets: new Uint32Array(trees.reduce((sum, { sets }) => sum + sets.length, 0)),
    };
    let usedSets = 0;
    trees.forEach(({ arrays, sets }, t) => {
      const start = treeStarts[t];
      ensemble.feature.set(arrays.feature, start);
      ensemble.isCategorical.set(arrays.isCategorical, start);
      ensemble.missingLeft.set(arrays.missingLeft, start);
      ensemble.cover.set(arrays.cover, start);
      ensemble.gain.set(arrays.gain, start);
      for (let node = 0; node < arrays.feature.length; node++) {
        const at = start + node;
        const leaf = arrays.feature[node] < 0;
        ensemble.left[at] = leaf ? -1 : arrays.left[node] + start;
        ensemble.right[at] = leaf ? -1 : arrays.right[node] + start;
        ensemble.splitBin[at] = arrays.splitBin[node] + (arrays.isCategorical[node] ? usedSets : 0);
        for (let c = 0; c < k; c++) {
          ensemble.value[at * k + c] = arrays.value[node * k + c] / trees.length;
        }
      }
      ensemble.categorySets.set(sets, usedSets * 8);
      usedSets += sets.length / 8;
    });
    return ensemble;
  }
}
