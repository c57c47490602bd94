/**
 * Hierarchical shrinkage of trees that were grown without (Agarwal, Tan, Ronen, Singh & Yu, "Hierarchical Shrinkage",
 * ICML 2022, eq. 3): the step from a node's mean to a child's counts 1 / (1 + λ / weight of the node). The kernel does the same where λ is
 * known before (`forests/values.ts`).
 */

import type { TreeEnsemble } from "../ensemble.ts";

/**
 * What all nodes hold as means of the leaves below them, nodes × valuesPerNode.
 *
 * @param trees with the plain means of their rows in the leaves; children numbered after their parents
 */
export function nodeMeans(trees: TreeEnsemble): Float64Array {
  const { valuesPerNode: width, feature, left, right, cover } = trees;
  const means = trees.value.slice();
  for (let node = feature.length - 1; node >= 0; node--) {
    if (feature[node] < 0) continue;
    const [a, b] = [left[node], right[node]];
    const share = cover[a] / (cover[a] + cover[b]);
    for (let k = 0; k < width; k++) {
      means[node * width + k] = share * means[a * width + k] + (1 - share) * means[b * width + k];
    }
  }
  return means;
}

/**
 * The trees with shrunken leaves, in single precision.
 *
 * @param means of `nodeMeans`
 * @param lambdas λ ≥ 0 each, in the unit of `cover`; a node of several has the values of the first, then those of the second, …
 */
export function shrinkTrees(
  trees: TreeEnsemble,
  means: Float64Array,
  lambdas: readonly number[],
): TreeEnsemble {
  const { valuesPerNode: width, feature, left, right, cover, treeStarts } = trees;
  const step = width * lambdas.length;
  const value = new Float64Array(feature.length * step);
  for (const root of treeStarts.subarray(0, -1)) {
    for (let j = 0; j < step; j++) value[root * step + j] = means[root * width + (j % width)];
  }
  for (let node = 0; node < feature.length; node++) {
    if (feature[node] < 0) {
      for (let at = node * step; at < (node + 1) * step; at++) value[at] = Math.fround(value[at]);
      continue;
    }
    const [a, b] = [left[node], right[node]];
    for (let place = 0; place < lambdas.length; place++) {
      const keep = 1 / (1 + lambdas[place] / cover[node]);
      for (let k = 0; k < width; k++) {
        const j = place * width + k;
        const mean = means[node * width + k];
        const own = value[node * step + j];
        value[a * step + j] = own + keep * (means[a * width + k] - mean);
        value[b * step + j] = own + keep * (means[b * width + k] - mean);
        value[node * step + j] = 0;
      }
    }
  }
  return { ...trees, valuesPerNode: step, value };
}
