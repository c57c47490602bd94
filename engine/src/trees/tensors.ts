/**
 * A TreeEnsemble as named arrays, for a model's directory, and back with everything checked.
 *
 * Written in preorder, a tree is its row of leaf marks: a node's left child follows it, its right
 * child follows the left one's subtree. What only inner nodes or only leaves have is stored for
 * those alone, in the narrowest type that holds all of its values exactly.
 */

import { isPreorder } from "./compact.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { type NumericArray, narrowest, packBits, unpackBits } from "./narrow.ts";

export type TreeTensors = Readonly<Record<string, NumericArray>>;

/** u32 words of a category set in memory; stored sets leave out words that are 0 in all of them. */
const SET_WORDS = 8;

/** @param ensemble in the form of `compactTrees` */
export function ensembleToTensors(ensemble: TreeEnsemble): TreeTensors {
  if (!isPreorder(ensemble)) throw new Error("Only trees in preorder can be stored.");
  const { feature, valuesPerNode: width } = ensemble;
  const nodes = feature.length;
  const inner = (nodes - ensemble.treeOutput.length) / 2;
  const leaves = nodes - inner;
  const isLeaf = new Uint8Array(nodes);
  const splitFeature = new Int32Array(inner);
  const splitBin = new Int32Array(inner);
  const isCategorical = new Uint8Array(inner);
  const missingLeft = new Uint8Array(inner);
  const gain = new Float64Array(inner);
  const value = new Float64Array(leaves * width);
  const cover = new Float64Array(leaves);
  let nextInner = 0;
  let nextLeaf = 0;
  for (let node = 0; node < nodes; node++) {
    if (feature[node] < 0) {
      const leaf = nextLeaf++;
      isLeaf[node] = 1;
      for (let k = 0; k < width; k++) value[leaf * width + k] = ensemble.value[node * width + k];
      cover[leaf] = ensemble.cover[node];
      continue;
    }
    const at = nextInner++;
    splitFeature[at] = feature[node];
    isCategorical[at] = ensemble.isCategorical[node];
    splitBin[at] = isCategorical[at] === 1 ? 0 : ensemble.splitBin[node];
    missingLeft[at] = ensemble.missingLeft[node];
    gain[at] = ensemble.gain[node];
  }
  return {
    tree_starts: ensemble.treeStarts,
    tree_output: narrowest(ensemble.treeOutput),
    leaf: packBits(isLeaf),
    split_feature: narrowest(splitFeature),
    split_bin: narrowest(splitBin),
    is_categorical: packBits(isCategorical),
    missing_left: packBits(missingLeft),
    gain: narrowest(gain),
    leaf_value: narrowest(value),
    leaf_cover: narrowest(cover),
    category_sets: narrowSets(ensemble.categorySets),
  };
}

function narrowSets(sets: Uint32Array): Uint32Array {
  let words = sets.length === 0 ? 0 : 1;
  sets.forEach((word, i) => {
    if (word !== 0) words = Math.max(words, (i % SET_WORDS) + 1);
  });
  const narrow = new Uint32Array((sets.length / SET_WORDS) * words);
  for (let set = 0; set * SET_WORDS < sets.length; set++) {
    const from = set * SET_WORDS;
    narrow.set(sets.subarray(from, from + words), set * words);
  }
  return narrow;
}

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`The stored trees are damaged: ${what}.`);
}

type Constructor<T> = new (length: number) => T;

/** A tensor of one of the types that its values may be stored in. */
function tensor<T extends NumericArray>(
  tensors: TreeTensors,
  name: string,
  types: readonly Constructor<T>[],
): T {
  const found = tensors[name];
  for (const type of types) if (found instanceof type) return found;
  throw new Error(
    `The stored trees are damaged: "${name}" is ${found === undefined ? "missing" : `a ${found.constructor.name}`}, expected ${types.map((type) => type.name).join(" or ")}.`,
  );
}

const WHOLE: readonly Constructor<Uint8Array | Uint16Array | Int32Array>[] = [
  Uint8Array,
  Uint16Array,
  Int32Array,
];
const ANY: readonly Constructor<NumericArray>[] = [
  Uint8Array,
  Uint16Array,
  Int32Array,
  Float32Array,
  Float64Array,
];
const BYTES = [Uint8Array];

/** The arrays of stored trees, of the right types and lengths. */
export interface StoredTrees {
  /** Trees + 1, from 0 to the number of nodes. */
  readonly treeStarts: Int32Array;
  /** Below the number of outputs. */
  readonly treeOutput: Int32Array;
  readonly nodes: number;
  readonly leaves: number;
  readonly leafBits: Uint8Array;
  readonly splitFeature: NumericArray;
  readonly splitBin: NumericArray;
  readonly categoricalBits: Uint8Array;
  readonly missingBits: Uint8Array;
  readonly gain: NumericArray;
  /** Leaves × values a leaf. */
  readonly leafValue: NumericArray;
  readonly leafCover: NumericArray;
  readonly categorySets: Uint32Array;
}

/**
 * @param outputs how many outputs the trees add to
 * @throws Error where an array is missing or of the wrong length
 */
export function storedTrees(
  tensors: TreeTensors,
  valuesPerNode: number,
  outputs: number,
): StoredTrees {
  const treeStarts = tensor(tensors, "tree_starts", [Int32Array]);
  const treeOutput = Int32Array.from(tensor(tensors, "tree_output", WHOLE));
  const stored = {
    leafBits: tensor(tensors, "leaf", BYTES),
    splitFeature: tensor(tensors, "split_feature", WHOLE),
    splitBin: tensor(tensors, "split_bin", WHOLE),
    categoricalBits: tensor(tensors, "is_categorical", BYTES),
    missingBits: tensor(tensors, "missing_left", BYTES),
    gain: tensor(tensors, "gain", ANY),
    leafValue: tensor(tensors, "leaf_value", ANY),
    leafCover: tensor(tensors, "leaf_cover", ANY),
    categorySets: tensor(tensors, "category_sets", [Uint32Array]),
  };
  const trees = treeOutput.length;
  check(treeStarts.length === trees + 1, "tree starts and outputs differ in number");
  check(treeStarts[0] === 0, "tree starts do not begin at 0");
  const inner = stored.splitFeature.length;
  const leaves = stored.leafCover.length;
  const nodes = inner + leaves;
  check(treeStarts[trees] === nodes, "tree starts do not cover the nodes");
  for (const [name, array, length] of [
    ["leaf", stored.leafBits, Math.ceil(nodes / 8)],
    ["split_bin", stored.splitBin, inner],
    ["is_categorical", stored.categoricalBits, Math.ceil(inner / 8)],
    ["missing_left", stored.missingBits, Math.ceil(inner / 8)],
    ["gain", stored.gain, inner],
    ["leaf_value", stored.leafValue, leaves * valuesPerNode],
  ] as const) {
    check(array.length === length, `"${name}" has ${array.length} entries, expected ${length}`);
  }
  for (let tree = 0; tree < trees; tree++) {
    const output = treeOutput[tree];
    if (output < 0 || output >= outputs) check(false, `tree ${tree} adds to output ${output}`);
  }
  return { treeStarts, treeOutput, nodes, leaves, ...stored };
}

/** u32 words of each of `count` stored sets. */
export function storedSetWords(stored: Uint32Array, count: number): number {
  const words = count === 0 ? 0 : stored.length / count;
  check(
    Number.isInteger(words) && words <= SET_WORDS && stored.length === words * count,
    `"category_sets" has ${stored.length} words for ${count} sets`,
  );
  return words;
}

/**
 * @param features how many features the model reads
 * @param outputs how many outputs its trees add to
 * @throws Error where an array is missing, of the wrong length, or points outside
 */
export function ensembleFromTensors(
  tensors: TreeTensors,
  valuesPerNode: number,
  features: number,
  outputs: number,
): TreeEnsemble {
  const stored = storedTrees(tensors, valuesPerNode, outputs);
  const { treeStarts, treeOutput, nodes, leaves, leafBits, categoricalBits, missingBits } = stored;
  const splitFeature = new Int32Array(stored.splitFeature);
  const splitBins = new Int32Array(stored.splitBin);
  const gains = new Float64Array(stored.gain);
  const values = new Float64Array(stored.leafValue);
  const covers = new Float64Array(stored.leafCover);
  const inner = splitFeature.length;
  const isLeaf = unpackBits(leafBits, nodes);
  check(isLeaf.reduce((sum, is) => sum + is, 0) === leaves, `"leaf" does not mark ${leaves} nodes`);
  const innerCategorical = unpackBits(categoricalBits, inner);
  const innerMissing = unpackBits(missingBits, inner);
  const categorySets = widenSets(
    stored.categorySets,
    innerCategorical.reduce((sum, is) => sum + is, 0),
  );

  const feature = new Int32Array(nodes).fill(-1);
  const splitBin = new Int32Array(nodes);
  const isCategorical = new Uint8Array(nodes);
  const missingLeft = new Uint8Array(nodes);
  const value = new Float64Array(nodes * valuesPerNode);
  const cover = new Float64Array(nodes);
  const gain = new Float64Array(nodes);
  let nextInner = 0;
  let nextLeaf = 0;
  let nextSet = 0;
  for (let node = 0; node < nodes; node++) {
    if (isLeaf[node] === 1) {
      const from = nextLeaf * valuesPerNode;
      for (let k = 0; k < valuesPerNode; k++) value[node * valuesPerNode + k] = values[from + k];
      cover[node] = covers[nextLeaf++];
      continue;
    }
    const at = nextInner++;
    feature[node] = splitFeature[at];
    if (!(feature[node] >= 0 && feature[node] < features)) {
      check(false, `node ${node} splits on feature ${feature[node]}`);
    }
    isCategorical[node] = innerCategorical[at];
    splitBin[node] = innerCategorical[at] === 1 ? nextSet++ : splitBins[at];
    if (isCategorical[node] === 0 && !(splitBin[node] >= 0 && splitBin[node] < 256)) {
      check(false, `node ${node} has split ${splitBin[node]}`);
    }
    missingLeft[node] = innerMissing[at];
    gain[node] = gains[at];
  }
  const { left, right } = children(treeStarts, isLeaf);
  for (let node = nodes - 1; node >= 0; node--) {
    if (isLeaf[node] === 0) cover[node] = cover[left[node]] + cover[right[node]];
  }
  return {
    valuesPerNode,
    treeStarts,
    treeOutput,
    feature,
    splitBin,
    isCategorical,
    missingLeft,
    left,
    right,
    value,
    cover,
    gain,
    categorySets,
  };
}

function widenSets(stored: Uint32Array, count: number): Uint32Array {
  const words = storedSetWords(stored, count);
  const sets = new Uint32Array(count * SET_WORDS);
  for (let set = 0; set < count; set++) {
    sets.set(stored.subarray(set * words, (set + 1) * words), set * SET_WORDS);
  }
  return sets;
}

/** The children that the leaf marks of each tree tell, which must end where the tree does. */
function children(
  treeStarts: Int32Array,
  isLeaf: Uint8Array,
): { left: Int32Array; right: Int32Array } {
  const left = new Int32Array(isLeaf.length).fill(-1);
  const right = new Int32Array(isLeaf.length).fill(-1);
  /** Inner nodes whose right subtree is still to come. */
  const open: number[] = [];
  for (let tree = 0; tree + 1 < treeStarts.length; tree++) {
    const start = treeStarts[tree];
    const end = treeStarts[tree + 1];
    check(start < end && end <= isLeaf.length, `tree ${tree} has no nodes`);
    for (let node = start; node < end; node++) {
      if (isLeaf[node] === 0) {
        left[node] = node + 1;
        open.push(node);
        continue;
      }
      const parent = open.pop();
      if ((parent === undefined) !== (node + 1 === end)) {
        check(false, `tree ${tree} ends at another node`);
      }
      if (parent !== undefined) right[parent] = node + 1;
    }
    check(open.length === 0, `tree ${tree} lacks nodes`);
  }
  return { left, right };
}
