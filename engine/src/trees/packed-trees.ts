/** Trees as the kernels walk them: records, leaf values and category sets in an arena. */

import type { Pointer } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import type { FeatureBins } from "../data/encoded.ts";
import type { TreeEnsemble } from "./ensemble.ts";

export interface PackedTrees {
  readonly memory: WebAssembly.Memory;
  readonly trees: number;
  readonly valuesPerNode: number;
  /** In JS, for those who walk tree by tree; `starts` is the same in the arena. */
  readonly treeStarts: Int32Array;
  readonly treeOutput: Int32Array;
  readonly starts: Pointer;
  readonly output: Pointer;
  /** 16 bytes a node; see kernels/assembly/trees/traverse.ts. */
  readonly records: Pointer;
  /** f64 leaves × valuesPerNode, leaves in the order of their nodes. */
  readonly leafValues: Pointer;
  /** f64 a node. */
  readonly cover: Pointer;
  readonly sets: Pointer;
  /** u32 of them. */
  readonly setWords: number;
}

/**
 * Packs trees into blocks of `scratch`, where they stay until it is released.
 *
 * @param bins those of the data that will be walked
 */
export function packTrees(
  scratch: Scratch,
  ensemble: TreeEnsemble,
  bins: readonly FeatureBins[],
): PackedTrees {
  const { arena } = scratch;
  const { feature, valuesPerNode: width } = ensemble;
  const nodes = feature.length;
  const leaves = (nodes + ensemble.treeOutput.length) / 2;
  const packed: PackedTrees = {
    memory: arena.memory,
    trees: ensemble.treeOutput.length,
    valuesPerNode: width,
    treeStarts: ensemble.treeStarts,
    treeOutput: ensemble.treeOutput,
    starts: scratch.i32(ensemble.treeStarts),
    output: scratch.i32(ensemble.treeOutput),
    records: scratch.allocate(nodes * 16),
    leafValues: scratch.allocate(leaves * width * 8),
    cover: scratch.f64(ensemble.cover),
    sets: scratch.u32(ensemble.categorySets),
    setWords: ensemble.categorySets.length,
  };
  const values = arena.f64(packed.leafValues, leaves * width);
  let leaf = 0;
  for (let node = 0; node < nodes; node++) {
    if (feature[node] >= 0) continue;
    for (let k = 0; k < width; k++) values[leaf * width + k] = ensemble.value[node * width + k];
    leaf++;
  }
  withScratch(arena, (arrays) => {
    kernelsOf(arena).packNodes(
      nodes,
      arrays.i32(feature),
      arrays.i32(ensemble.splitBin),
      arrays.u8(ensemble.isCategorical),
      arrays.u8(ensemble.missingLeft),
      arrays.i32(ensemble.left),
      arrays.i32(ensemble.right),
      arrays.i32(bins.map(({ valueBins }) => valueBins)),
      packed.records,
    );
  });
  return packed;
}
