/** Trees as the kernels predict with them: see `kernels/assembly/trees/compile-trees.ts`. */

import type { Pointer } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import type { FeatureBins } from "../data/encoded.ts";
import * as layout from "../kernels/assembly/trees/compiled-layout.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { storedSetWords, storedTrees, type TreeTensors } from "./tensors.ts";

export interface CompiledTrees {
  readonly memory: WebAssembly.Memory;
  readonly head: Pointer;
  readonly trees: number;
  readonly nodes: number;
  /** Bytes that the kernel needs beside, for that many outputs. */
  scratchBytes(outputs: number): number;
}

const SET_BYTES = 32;
const RECORD_BYTES = 8;

/** What is compiled: the arrays of nodes, in the arena. */
interface Opened {
  readonly treeStarts: Int32Array;
  readonly treeOutput: Int32Array;
  readonly valuesPerNode: number;
  readonly nodes: number;
  readonly leaves: number;
  /** Categorical nodes. */
  readonly sets: number;
  readonly arrays: {
    readonly features: Pointer;
    readonly splits: Pointer;
    readonly categorical: Pointer;
    readonly missingLeft: Pointer;
    readonly lefts: Pointer;
    readonly rights: Pointer;
    readonly values: Pointer;
    readonly sets: Pointer;
  };
  /** Whether values are one row a leaf and sets are of `setBytes`, as they are stored. */
  readonly isByLeaf: boolean;
  readonly setBytes: number;
}

/**
 * Compiles trees into blocks of `scratch`, where they stay until it is released.
 *
 * @param bins those of the data that will be walked
 * @param outputs that the trees add to
 */
export function compileTrees(
  scratch: Scratch,
  ensemble: TreeEnsemble,
  bins: readonly FeatureBins[],
  outputs: number,
): CompiledTrees {
  const { feature, isCategorical, treeStarts, treeOutput, valuesPerNode } = ensemble;
  let leaves = 0;
  let sets = 0;
  for (let node = 0; node < feature.length; node++) {
    if (feature[node] < 0) leaves++;
    else sets += isCategorical[node];
  }
  return withScratch(scratch.arena, (working) => {
    const opened: Opened = {
      ...{ treeStarts, treeOutput, valuesPerNode, nodes: feature.length, leaves, sets },
      ...{ isByLeaf: false, setBytes: SET_BYTES },
      arrays: {
        features: working.i32(feature),
        splits: working.i32(ensemble.splitBin),
        categorical: working.u8(isCategorical),
        missingLeft: working.u8(ensemble.missingLeft),
        lefts: working.i32(ensemble.left),
        rights: working.i32(ensemble.right),
        values: working.f64(ensemble.value),
        sets: working.u32(ensemble.categorySets),
      },
    };
    return compileOpened(scratch, working, opened, bins, outputs);
  });
}

/**
 * The same of trees as they are stored, without unfolding them first.
 *
 * @returns null where they are damaged: `ensembleFromTensors` says how
 * @throws Error where an array is missing or of the wrong length
 */
export function compileStored(
  scratch: Scratch,
  tensors: TreeTensors,
  valuesPerNode: number,
  bins: readonly FeatureBins[],
  outputs: number,
): CompiledTrees | null {
  const stored = storedTrees(tensors, valuesPerNode, outputs);
  const { treeStarts, treeOutput, nodes, leaves, categorySets } = stored;
  return withScratch(scratch.arena, (working) => {
    const ofNodes = (bytes: number): Pointer => working.allocate(nodes * bytes);
    const arrays = {
      ...{ features: ofNodes(4), splits: ofNodes(4), categorical: ofNodes(1) },
      ...{ missingLeft: ofNodes(1), lefts: ofNodes(4), rights: ofNodes(4) },
      values: working.f64(stored.leafValue),
      sets: working.u32(categorySets),
    };
    const sets = withScratch(scratch.arena, (packed) =>
      kernelsOf(scratch.arena).openStored(
        treeOutput.length,
        packed.i32(treeStarts),
        nodes,
        nodes - leaves,
        packed.u8(stored.leafBits),
        packed.i32(stored.splitFeature),
        packed.i32(stored.splitBin),
        packed.u8(stored.categoricalBits),
        packed.u8(stored.missingBits),
        bins.length,
        arrays.features,
        arrays.splits,
        arrays.categorical,
        arrays.missingLeft,
        arrays.lefts,
        arrays.rights,
        packed.allocate(nodes * 4),
      ),
    );
    if (sets < 0) return null;
    const setBytes = 4 * storedSetWords(categorySets, sets);
    const opened: Opened = {
      ...{ treeStarts, treeOutput, valuesPerNode, nodes, leaves, sets },
      ...{ isByLeaf: true, setBytes, arrays },
    };
    return compileOpened(scratch, working, opened, bins, outputs);
  });
}

function compileOpened(
  scratch: Scratch,
  working: Scratch,
  opened: Opened,
  bins: readonly FeatureBins[],
  outputs: number,
): CompiledTrees {
  const { arena } = scratch;
  const { arrays, nodes, treeOutput, valuesPerNode: width } = opened;
  const { order, groups } = groupedTrees(opened, outputs);
  const room = roomOf(opened);
  const head = scratch.allocate(layout.HEAD_BYTES);
  const trees = scratch.allocate(treeOutput.length * layout.TREE_BYTES);
  const groupStarts = scratch.i32(groups);
  const records = scratch.allocate(room.records);
  const programs = scratch.allocate(room.programs);
  const exitValues = scratch.allocate(room.exitValues);
  const tables = scratch.allocate(room.tables);
  const found = working.allocate((2 * bins.length + 1) * layout.PLANE_BYTES);
  const planeCount = kernelsOf(arena).compileTrees(
    treeOutput.length,
    working.i32(order),
    working.i32(opened.treeStarts),
    nodes,
    arrays.features,
    arrays.splits,
    arrays.categorical,
    arrays.missingLeft,
    arrays.lefts,
    arrays.rights,
    arrays.values,
    width,
    opened.isByLeaf ? 1 : 0,
    arrays.sets,
    opened.setBytes,
    working.i32(bins.map(({ valueBins }) => valueBins)),
    working.i32(new Int32Array(bins.length * 2)),
    found,
    trees,
    records,
    programs,
    exitValues,
    tables,
    working.allocate(nodes * 29 + 64),
  );
  const planes = scratch.u8(arena.u8(found, planeCount * layout.PLANE_BYTES).slice());
  const words = arena.i32(head, layout.HEAD_BYTES / 4);
  words[layout.PLANES / 4] = planes;
  words[layout.PLANE_COUNT / 4] = planeCount;
  words[layout.TREES / 4] = trees;
  words[layout.GROUPS / 4] = groupStarts;
  words[layout.GROUP_COUNT / 4] = groups.length - 1;
  words[layout.WIDTH / 4] = width;
  return {
    memory: arena.memory,
    head,
    ...{ trees: treeOutput.length, nodes },
    scratchBytes: (count) =>
      (planeCount + 1) * layout.TILE_ROWS + layout.MASK_BYTES + layout.TILE_ROWS * (count * 8 + 2),
  };
}

/** Trees of one output behind one another; those that hold a value for each are one group. */
function groupedTrees(
  { treeOutput, valuesPerNode }: Pick<Opened, "treeOutput" | "valuesPerNode">,
  outputs: number,
): { readonly order: Int32Array; readonly groups: Int32Array } {
  const trees = treeOutput.length;
  if (valuesPerNode > 1) {
    return { order: Int32Array.from(treeOutput.keys()), groups: Int32Array.of(0, trees) };
  }
  const groups = new Int32Array(outputs + 1);
  for (const output of treeOutput) groups[output + 1]++;
  for (let output = 0; output < outputs; output++) groups[output + 1] += groups[output];
  const next = groups.slice();
  const order = new Int32Array(trees);
  for (let tree = 0; tree < trees; tree++) order[next[treeOutput[tree]]++] = tree;
  return { order, groups };
}

/** Bytes of each part, or a few more. */
function roomOf({ nodes, leaves, sets, treeStarts, valuesPerNode }: Opened): {
  readonly records: number;
  readonly programs: number;
  readonly exitValues: number;
  readonly tables: number;
} {
  const exitValues = leaves * valuesPerNode * 8;
  const ofSets = sets * SET_BYTES;
  let tables = 0;
  for (let tree = 0; tree + 1 < treeStarts.length; tree++) {
    const most = (treeStarts[tree + 1] - treeStarts[tree] + 1) / 2;
    tables += most > layout.MOST_EXITS ? 4 * layout.MOST_EXITS : layout.SMALL_BYTES;
  }
  return {
    records: nodes * RECORD_BYTES + ofSets + exitValues,
    programs: (nodes - leaves) * RECORD_BYTES + ofSets,
    exitValues,
    tables,
  };
}
