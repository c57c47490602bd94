/**
 * The form in which trees are kept: nodes in preorder (a left child follows its parent), category
 * sets in the order of their nodes, no node that cannot be reached, and leaf values, gains and
 * covers rounded to the 24 bits of single precision.
 *
 * A family brings its trees into this form when they are grown, so that what a fit predicts, what
 * is stored and what is loaded are the same numbers, and the stored form needs no child numbers.
 */

import type { TreeEnsemble } from "./ensemble.ts";

const WORDS = 8;

/** Whether a left child follows its parent everywhere, and sets are in the order of their nodes. */
export function isPreorder(trees: TreeEnsemble): boolean {
  let sets = 0;
  for (let node = 0; node < trees.feature.length; node++) {
    if (trees.feature[node] < 0) continue;
    if (trees.left[node] !== node + 1) return false;
    if (trees.isCategorical[node] === 1 && trees.splitBin[node] !== sets++) return false;
  }
  return trees.categorySets.length === sets * WORDS;
}

export function compactTrees(trees: TreeEnsemble): TreeEnsemble {
  const width = trees.valuesPerNode;
  const { order, treeStarts } = preorder(trees);
  const nodes = order.length;
  const place = new Int32Array(trees.feature.length);
  for (let at = 0; at < nodes; at++) place[order[at]] = at;
  const feature = new Int32Array(nodes).fill(-1);
  const splitBin = new Int32Array(nodes);
  const isCategorical = new Uint8Array(nodes);
  const missingLeft = new Uint8Array(nodes);
  const left = new Int32Array(nodes).fill(-1);
  const right = new Int32Array(nodes).fill(-1);
  const value = new Float64Array(nodes * width);
  const cover = new Float64Array(nodes);
  const gain = new Float64Array(nodes);
  /** Where the category sets of the nodes were, in the order of the nodes. */
  const sets: number[] = [];
  for (let at = 0; at < nodes; at++) {
    const source = order[at];
    cover[at] = trees.cover[source];
    if (trees.feature[source] < 0) {
      for (let k = 0; k < width; k++) value[at * width + k] = trees.value[source * width + k];
      continue;
    }
    feature[at] = trees.feature[source];
    splitBin[at] = trees.splitBin[source];
    isCategorical[at] = trees.isCategorical[source];
    missingLeft[at] = trees.missingLeft[source];
    left[at] = place[trees.left[source]];
    right[at] = place[trees.right[source]];
    gain[at] = trees.gain[source];
    if (isCategorical[at] === 1) splitBin[at] = sets.push(trees.splitBin[source]) - 1;
  }
  const categorySets = new Uint32Array(sets.length * WORDS);
  sets.forEach((from, set) => {
    const words = trees.categorySets.subarray(from * WORDS, (from + 1) * WORDS);
    categorySets.set(words, set * WORDS);
  });
  singlePrecision(cover);
  // An inner node's cover is the sum of its children's, whatever rounding the leaves went through.
  for (let node = nodes - 1; node >= 0; node--) {
    if (feature[node] >= 0) cover[node] = cover[left[node]] + cover[right[node]];
  }
  return {
    valuesPerNode: width,
    treeStarts,
    treeOutput: trees.treeOutput,
    feature,
    splitBin,
    isCategorical,
    missingLeft,
    left,
    right,
    value: singlePrecision(value),
    cover,
    gain: singlePrecision(gain),
    categorySets,
  };
}

/** The nodes of each tree that can be reached: a parent, all on its left, all on its right. */
function preorder(trees: TreeEnsemble): { order: Int32Array; treeStarts: Int32Array } {
  const order = new Int32Array(trees.feature.length);
  const treeStarts = new Int32Array(trees.treeStarts.length);
  const stack: number[] = [];
  let used = 0;
  for (let tree = 0; tree < trees.treeOutput.length; tree++) {
    stack.push(trees.treeStarts[tree]);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      order[used++] = node;
      if (trees.feature[node] >= 0) stack.push(trees.right[node], trees.left[node]);
    }
    treeStarts[tree + 1] = used;
  }
  return { order: order.slice(0, used), treeStarts };
}

/** A number times this splits off the upper 24 of its 53 bits (Dekker 1971). */
const SPLITTER = 2 ** 29 + 1;

/** Rounds to 24 bits whatever the exponent; numbers too large to split stay as they are. */
function singlePrecision(numbers: Float64Array): Float64Array {
  for (let i = 0; i < numbers.length; i++) {
    const product = numbers[i] * SPLITTER;
    if (Number.isFinite(product)) numbers[i] = product - (product - numbers[i]);
  }
  return numbers;
}
