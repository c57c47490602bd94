/** Importance by gain: the loss reduction of each feature's splits, as shares of their sum. */

import type { TreeEnsemble } from "./ensemble.ts";

/** One number a feature, summing to 1, or all 0 where nothing was split. */
export function gainImportance(trees: TreeEnsemble, features: number): Float64Array {
  const shares = new Float64Array(features);
  let total = 0;
  for (let node = 0; node < trees.feature.length; node++) {
    if (trees.feature[node] < 0) continue;
    shares[trees.feature[node]] += trees.gain[node];
    total += trees.gain[node];
  }
  return total > 0 ? shares.map((share) => share / total) : shares;
}
