/**
 * One tree as the TreeSHAP kernel walks it: nodes in preorder, each with the edge that enters it,
 * the ratio of training weight that the path keeps for the edge's feature, and the bins that go
 * left as a set, so that numeric, categorical and missing values are one look-up.
 */

import type { TreeEnsemble } from "../ensemble.ts";

/** i32 words of a node's record in the kernel. */
export const RECORD_WORDS = 8;
/** u32 words of a node's bin set. */
export const SET_WORDS = 8;

export interface PathPlan {
  readonly nodes: number;
  /**
   * Nodes × RECORD_WORDS: parent; the nearest earlier node entered by an edge of the same feature
   * (0 where there is none); the edge's feature; 1 where the edge goes left; the feature the node
   * splits on (-1: leaf); the leaf's number (-1: inner).
   */
  readonly records: Int32Array;
  /** Nodes × SET_WORDS. */
  readonly sets: Uint32Array;
  /** One a node: the share of weight kept by all edges of its edge's feature down to it. */
  readonly ratios: Float64Array;
  /** Leaves × valuesPerNode. */
  readonly leafValues: Float64Array;
  /** valuesPerNode: the mean of the leaves, each weighted by the shares on its path. */
  readonly expected: Float64Array;
  /** The most distinct features on one path. */
  readonly pathFeatures: number;
}

/**
 * The bins that go left at a node, bin b being bit b & 31 of word b >> 5.
 *
 * @param missingBin the bin of missing values for the node's feature
 */
export function leftBins(
  trees: TreeEnsemble,
  node: number,
  missingBin: number,
  out: Uint32Array,
): void {
  const split = trees.splitBin[node];
  if (trees.isCategorical[node]) {
    for (let w = 0; w < SET_WORDS; w++) out[w] = trees.categorySets[split * SET_WORDS + w];
  } else {
    out.fill(0);
    for (let bin = 0; bin <= split; bin++) out[bin >> 5] |= 1 << (bin & 31);
  }
  const bit = 1 << (missingBin & 31);
  if (trees.missingLeft[node]) out[missingBin >> 5] |= bit;
  else out[missingBin >> 5] &= ~bit;
}

/** Share of the parent's weight that takes an edge; a node no weight reached splits evenly. */
function edgeShare(trees: TreeEnsemble, parent: number, child: number): number {
  const total = trees.cover[trees.left[parent]] + trees.cover[trees.right[parent]];
  return total > 0 ? trees.cover[child] / total : 0.5;
}

/** @param missingBins the missing bin of each feature */
export function planTree(
  trees: TreeEnsemble,
  tree: number,
  missingBins: readonly number[],
): PathPlan {
  const nodes = trees.treeStarts[tree + 1] - trees.treeStarts[tree];
  const k = trees.valuesPerNode;
  const records = new Int32Array(nodes * RECORD_WORDS);
  const sets = new Uint32Array(nodes * SET_WORDS);
  const ratios = new Float64Array(nodes);
  const leafValues = new Float64Array(((nodes + 1) >> 1) * k);
  const expected = new Float64Array(k);
  let leaves = 0;
  let next = 0;
  let pathFeatures = 0;
  /** Of the path being walked: the latest node entered by an edge of each feature. */
  const latest = new Map<number, number>();

  interface Visit {
    /** The node's number in the ensemble. */
    readonly source: number;
    /** The parent's number in the plan; -1 for the root. */
    readonly parent: number;
    readonly side: number;
    /** Share of the parent's weight. */
    readonly share: number;
    /** Share of the root's weight. */
    readonly reach: number;
  }
  /** A visit, or the undoing of one: after a subtree its feature's latest node is restored. */
  type Step = Visit | { readonly feature: number; readonly restore: number | undefined };
  const stack: Step[] = [
    { source: trees.treeStarts[tree], parent: -1, side: 0, share: 1, reach: 1 },
  ];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if ("feature" in step) {
      if (step.restore === undefined) latest.delete(step.feature);
      else latest.set(step.feature, step.restore);
      continue;
    }
    const { source, parent, side, share, reach } = step;
    const node = next++;
    const record = node * RECORD_WORDS;
    ratios[node] = 1;
    if (parent >= 0) {
      const feature = records[parent * RECORD_WORDS + 4];
      const previous = latest.get(feature);
      ratios[node] = (previous === undefined ? 1 : ratios[previous]) * share;
      records[record] = parent;
      records[record + 1] = previous ?? 0;
      records[record + 2] = feature;
      records[record + 3] = side;
      stack.push({ feature, restore: previous });
      latest.set(feature, node);
      pathFeatures = Math.max(pathFeatures, latest.size);
    }
    const split = trees.feature[source];
    records[record + 4] = split;
    if (split < 0) {
      records[record + 5] = leaves;
      for (let c = 0; c < k; c++) {
        const value = trees.value[source * k + c];
        leafValues[leaves * k + c] = value;
        expected[c] += reach * value;
      }
      leaves++;
    } else {
      records[record + 5] = -1;
      leftBins(
        trees,
        source,
        missingBins[split],
        sets.subarray(node * SET_WORDS, (node + 1) * SET_WORDS),
      );
      for (const [child, childSide] of [
        [trees.right[source], 0],
        [trees.left[source], 1],
      ]) {
        const part = edgeShare(trees, source, child);
        stack.push({
          source: child,
          parent: node,
          side: childSide,
          share: part,
          reach: reach * part,
        });
      }
    }
  }
  return {
    nodes,
    records,
    sets,
    ratios,
    leafValues: leafValues.subarray(0, leaves * k),
    expected,
    pathFeatures,
  };
}
