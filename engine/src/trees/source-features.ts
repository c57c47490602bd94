/** Trees that were grown on features derived from the data's, rewritten to read those. */

import type { TreeGrower } from "./grower.ts";

/** A feature that trees are grown on, and the feature of the data that it stands for. */
export interface DerivedFeature {
  readonly feature: number;
  /** The derived bin of each of 256 bins of that feature; null where it is that feature. */
  readonly table: Uint8Array | null;
}

/**
 * Rewrites the grower's last tree: a cut of a derived feature becomes the set of bins that it sends left. Call it
 * after `follow`.
 *
 * @param missingBins the data's
 */
export function restoreSources(
  grower: TreeGrower,
  nodes: number,
  sources: readonly DerivedFeature[],
  missingBins: readonly number[],
): void {
  const { tree } = grower;
  for (let node = 0; node < nodes; node++) {
    if (tree.feature[node] < 0) continue;
    const { feature, table } = sources[tree.feature[node]];
    tree.feature[node] = feature;
    if (table === null) continue;
    const set = grower.setCount;
    const words = tree.sets.subarray(set * 8, set * 8 + 8).fill(0);
    for (let bin = 0; bin < 256; bin++) {
      if (table[bin] <= tree.splitBin[node]) words[bin >> 5] |= 1 << (bin & 31);
    }
    const missing = missingBins[feature];
    tree.isCategorical[node] = 1;
    tree.splitBin[node] = set;
    tree.missingLeft[node] = (words[missing >> 5] >>> (missing & 31)) & 1;
    grower.setCount = set + 1;
  }
}
