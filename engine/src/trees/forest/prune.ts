/**
 * Pruning by what subtrees explain: in a regression forest grown to its end most leaves tell rows
 * apart whose targets hardly differ. A subtree whose splits reduce the squared error by less than
 * a given amount, all together, becomes a leaf with its weighted mean.
 */

import type { TreeEnsemble } from "../ensemble.ts";

/**
 * The trees with collapsed subtrees as leaves; the nodes below them are no longer reached, and
 * `compactTrees` leaves them out.
 *
 * @param trees children numbered after their parents
 * @param least in the unit of `gain`; subtrees with less in total are collapsed
 */
export function pruneTrees(trees: TreeEnsemble, least: number): TreeEnsemble {
  const { valuesPerNode: width, left, right, cover } = trees;
  const feature = trees.feature.slice();
  const value = trees.value.slice();
  /** Of each node's subtree, collapsed ones below it included as nothing. */
  const total = new Float64Array(feature.length);
  /** Weighted means of the leaves below, as leaf values. */
  const means = trees.value.slice();
  for (let node = feature.length - 1; node >= 0; node--) {
    if (feature[node] < 0) continue;
    const [a, b] = [left[node], right[node]];
    total[node] = trees.gain[node] + total[a] + total[b];
    const share = cover[a] / (cover[a] + cover[b]);
    for (let k = 0; k < width; k++) {
      means[node * width + k] = share * means[a * width + k] + (1 - share) * means[b * width + k];
    }
    if (total[node] >= least) continue;
    feature[node] = -1;
    total[node] = 0;
    for (let k = 0; k < width; k++) value[node * width + k] = means[node * width + k];
  }
  return { ...trees, feature, value };
}

/** The squared error of the mean over all rows, divided by their number: what one average row adds. */
export function errorOfOneRow(
  target: Float64Array,
  weights: Float64Array | null,
  rows: Uint32Array,
  mean: number,
): number {
  let error = 0;
  for (const row of rows)
    error += (weights === null ? 1 : weights[row]) * (target[row] - mean) ** 2;
  return error / rows.length;
}
