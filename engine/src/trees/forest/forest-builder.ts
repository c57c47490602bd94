/** Collects the trees of a forest into one TreeEnsemble whose sums are averages over the trees. */

import type { TreeEnsemble } from "../ensemble.ts";
import type { RowStatistics } from "./row-statistics.ts";
import type { GrownForestTree } from "./tree-grower.ts";

interface Tree {
  readonly nodes: number;
  readonly arrays: Omit<
    TreeEnsemble,
    "valuesPerNode" | "treeStarts" | "treeOutput" | "categorySets"
  >;
  readonly sets: Uint32Array;
}

export class ForestBuilder {
  readonly #statistics: RowStatistics;
  readonly #shrinkage: number;
  readonly #trees: Tree[] = [];

  /**
   * @param shrinkage λ ≥ 0 of hierarchical shrinkage: a node's mean moves from its parent's
   *   towards its own by 1 / (1 + λ / weight of the parent), from the root down (Agarwal, Tan,
   *   Ronen, Singh & Yu 2022, eq. 3); 0 = plain means
   */
  constructor(statistics: RowStatistics, shrinkage: number) {
    this.#statistics = statistics;
    this.#shrinkage = shrinkage;
  }

  append(tree: GrownForestTree): void {
    const { nodes } = tree;
    const { cover, means } = this.#means(tree);
    const k = this.#valuesPerNode;
    const value = new Float64Array(nodes * k);
    const shrunk = means.slice();
    for (let node = 0; node < nodes; node++) {
      if (tree.feature[node] >= 0) {
        this.#shrinkChildren(tree, node, cover[node], means, shrunk);
      } else for (let c = 0; c < k; c++) value[node * k + c] = shrunk[node * k + c];
    }
    const { weightScale, productScale, classes } = this.#statistics;
    const gainScale = classes === 0 ? weightScale / productScale ** 2 : 1 / weightScale;
    this.#trees.push({
      nodes,
      arrays: {
        feature: tree.feature.slice(),
        splitBin: tree.splitBin.slice(),
        isCategorical: tree.isCategorical.slice(),
        missingLeft: tree.missingLeft.slice(),
        left: tree.left.slice(),
        right: tree.right.slice(),
        value,
        cover,
        gain: tree.gain.map((gain) => gain * gainScale),
      },
      sets: tree.sets.slice(),
    });
  }

  build(): TreeEnsemble {
    const trees = this.#trees;
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

  get #valuesPerNode(): number {
    return Math.max(1, this.#statistics.classes);
  }

  /** Weight and mean target (or class shares) of every node, in the units of the data. */
  #means(tree: GrownForestTree): { cover: Float64Array; means: Float64Array } {
    const { classes, weightScale, productScale, center } = this.#statistics;
    const cover = new Float64Array(tree.nodes);
    if (classes === 0) {
      const means = new Float64Array(tree.nodes);
      for (let node = 0; node < tree.nodes; node++) {
        cover[node] = tree.sums[2 * node] / weightScale;
        means[node] = center + tree.sums[2 * node + 1] / productScale / cover[node];
      }
      return { cover, means };
    }
    const width = tree.sums.length / tree.nodes;
    const means = new Float64Array(tree.nodes * classes);
    for (let node = 0; node < tree.nodes; node++) {
      let total = 0;
      for (let c = 0; c < classes; c++) total += tree.sums[node * width + c];
      cover[node] = total / weightScale;
      for (let c = 0; c < classes; c++) {
        means[node * classes + c] = tree.sums[node * width + c] / total;
      }
    }
    return { cover, means };
  }

  /** Parents come before their children, so a parent's value is final when this is called. */
  #shrinkChildren(
    tree: GrownForestTree,
    parent: number,
    weight: number,
    means: Float64Array,
    shrunk: Float64Array,
  ): void {
    if (this.#shrinkage === 0) return;
    const k = this.#valuesPerNode;
    const keep = 1 / (1 + this.#shrinkage / weight);
    const left = tree.left[parent] * k;
    const right = tree.right[parent] * k;
    for (let c = 0; c < k; c++) {
      const mean = means[parent * k + c];
      const value = shrunk[parent * k + c];
      shrunk[left + c] = value + keep * (means[left + c] - mean);
      shrunk[right + c] = value + keep * (means[right + c] - mean);
    }
  }
}
