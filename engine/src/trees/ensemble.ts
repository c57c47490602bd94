/**
 * Decision trees over binned features, as arrays: one node an index, all trees in one numbering.
 *
 * Shared by boosting and forests; predicted by kernels, explained by TreeSHAP, saved as tensors.
 */
export interface TreeEnsemble {
  /** 1 for boosting (each tree adds to one margin), the number of outputs for forests. */
  readonly valuesPerNode: number;
  /** Trees + 1; tree t owns nodes treeStarts[t] … treeStarts[t + 1] - 1, its root first. */
  readonly treeStarts: Int32Array;
  /** The output that a tree adds to, where valuesPerNode is 1; else zeros. */
  readonly treeOutput: Int32Array;
  /** Feature a node splits on; -1 for a leaf. */
  readonly feature: Int32Array;
  /**
   * Numeric: rows with bin ≤ splitBin go left. Categorical: the index of the node's 256-bit set
   * (8 words) in `categorySets`; rows whose bin is in it go left.
   */
  readonly splitBin: Int32Array;
  /** 1 for categorical nodes. */
  readonly isCategorical: Uint8Array;
  /** 1 where rows with the missing bin go left. */
  readonly missingLeft: Uint8Array;
  /** Node numbers; -1 for leaves. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Nodes × valuesPerNode: what a leaf adds, already shrunk; zero at inner nodes. */
  readonly value: Float64Array;
  /** Weight of the training rows that reached the node. */
  readonly cover: Float64Array;
  /** Loss reduction of the split; 0 at leaves. */
  readonly gain: Float64Array;
  readonly categorySets: Uint32Array;
}
