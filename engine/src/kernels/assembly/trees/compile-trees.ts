/**
 * Trees in the form that they are predicted in.
 *
 * A plane is a feature's bins, moved so that one signed comparison takes a numeric split: in plane
 * order, missing values are either behind all others or, for splits that send them left, before. Plane 0
 * is 127 everywhere.
 *
 * Each tree is written twice:
 * - as records to walk one row down: u32 plane << 9 | categorical << 8 | split (i8), i32 bytes to the
 *   right child; the left child follows, after the 32 bytes of its set where the node is categorical. A
 *   leaf is its own right child by a split of plane 0, and its values (f64) follow.
 * - as a program that many rows run side by side (`sweep-trees.ts`): inner nodes in preorder, u32 as
 *   above, then u8 e and u16 a. Exits are numbered from left to right; e is the first one right of
 *   the node, and a is where the mask lies of the nearest node that has it on its right.
 *
 * Trees are grouped by output, in the order of the ensemble within each, so that sums keep theirs.
 */

import {
  EXIT_TABLE,
  EXIT_VALUES,
  KIND,
  LARGE_EXITS,
  LARGE_LEAVES,
  MOST_EXITS,
  PARTIAL,
  PLANE_BYTES,
  PROGRAM,
  PROGRAM_END,
  ROOT,
  SMALL,
  SMALL_BYTES,
  TREE_BYTES,
  WHOLE,
} from "./compiled-layout";

const CATEGORICAL: u32 = 0x100;
const SET_BYTES: usize = 32;
const LEAF: u32 = 0x80;

// The arrays of the ensemble, as they are given to `compileTrees`.
let features: usize = 0;
let splits: usize = 0;
let categorical: usize = 0;
let missingLeft: usize = 0;
let lefts: usize = 0;
let rights: usize = 0;
let values: usize = 0;
let sets: usize = 0;
let setBytes: usize = SET_BYTES;
/** Leaves have the number of their values in place of a split; else their own is that of the node. */
let byLeaf: bool = false;
let valueBins: usize = 0;
let planeOf: usize = 0;
let planes: usize = 0;
let planeCount: u32 = 0;
let width: i32 = 1;
let places: usize = 0;
let stack: usize = 0;

function at(array: usize, index: i32): i32 {
  return load<i32>(array + ((<usize>index) << 2));
}

/** The plane and the split of an inner node, with its mark. */
function decision(node: i32): u32 {
  const feature = at(features, node);
  const isCategorical = load<u8>(categorical + <usize>node) !== 0;
  const first = !isCategorical && load<u8>(missingLeft + <usize>node) !== 0;
  const slot = planeOf + ((<usize>feature * 2 + (first ? 1 : 0)) << 2);
  let plane = load<u32>(slot);
  if (plane === 0) {
    plane = planeCount++;
    store<u32>(slot, plane);
    const described = planes + <usize>plane * PLANE_BYTES;
    store<i32>(described, feature);
    store<i32>(described, first ? at(valueBins, feature) : -1, 4);
  }
  if (isCategorical) return (plane << 9) | CATEGORICAL;
  const split = min(255, at(splits, node) + i32(first));
  return (plane << 9) | ((<u32>split ^ 0x80) & 0xff);
}

function copySet(node: i32, to: usize): void {
  memory.copy(to, sets + <usize>at(splits, node) * setBytes, setBytes);
  memory.fill(to + setBytes, 0, SET_BYTES - setBytes);
}

/** Copies what a leaf holds; gives how many bytes that is. */
function copyValues(leaf: i32, to: usize): usize {
  const size = (<usize>width) << 3;
  const from = values + <usize>(byLeaf ? at(splits, leaf) : leaf) * size;
  for (let k: usize = 0; k < size; k += 8) store<f64>(to + k, load<f64>(from + k));
  return size;
}

/** Writes the records of a tree at `from`; gives their end. */
function writeRecords(root: i32, from: usize): usize {
  let next = from;
  let top = stack;
  store<i32>(top, root);
  store<usize>(top, 0, 4);
  top += 8;
  while (top > stack) {
    top -= 8;
    const node = load<i32>(top);
    const parent = load<usize>(top, 4);
    if (parent !== 0) store<i32>(parent, <i32>(next - parent), 4);
    store<usize>(places + ((<usize>node) << 2), next);
    if (at(features, node) < 0) {
      store<u32>(next, LEAF);
      store<i32>(next, 0, 4);
      next += 8 + copyValues(node, next + 8);
      continue;
    }
    const word = decision(node);
    store<u32>(next, word);
    store<i32>(top, at(rights, node));
    store<usize>(top, next, 4);
    store<i32>(top, at(lefts, node), 8);
    store<usize>(top, 0, 12);
    top += 16;
    next += 8;
    if (word & CATEGORICAL) {
      copySet(node, next);
      next += SET_BYTES;
    }
  }
  return next;
}

/** Marks in `opened` the uppermost inner nodes of a tree, so many that it has `most` exits. */
function openNodes(root: i32, most: i32, opened: usize, queue: usize): void {
  let head = queue;
  let tail = queue;
  store<i32>(tail, root);
  tail += 4;
  let exits = 1;
  while (head < tail) {
    const node = load<i32>(head);
    head += 4;
    const isOpen = exits < most && at(features, node) >= 0;
    store<u8>(opened + <usize>node, isOpen ? 1 : 0);
    if (!isOpen) continue;
    exits++;
    store<i32>(tail, at(lefts, node));
    store<i32>(tail, at(rights, node), 4);
    tail += 8;
  }
}

/** The exits of the program that was written last. */
let exits: i32 = 0;

/**
 * Writes the program of a tree at `from`, and the nodes of its exits; gives the program's end.
 *
 * @param opened marks of the nodes that it has; 0: it has all inner ones
 */
function writeProgram(root: i32, from: usize, opened: usize, exitNodes: usize): usize {
  let next = from;
  let masks = 0;
  let top = stack;
  exits = 0;
  store<i32>(top, root);
  store<i32>(top, 0, 4);
  store<usize>(top, 0, 8);
  top += 12;
  while (top > stack) {
    top -= 12;
    const node = load<i32>(top);
    const above = load<i32>(top, 4);
    const opener = load<usize>(top, 8);
    // All left of the opener is written: its right begins with the next exit.
    if (opener !== 0) store<u8>(opener, <u8>exits, 4);
    const isOpen = opened === 0 ? at(features, node) >= 0 : load<u8>(opened + <usize>node) !== 0;
    if (!isOpen) {
      store<i32>(exitNodes + ((<usize>exits) << 2), node);
      exits++;
      continue;
    }
    masks++;
    const own = masks << 7;
    const word = load<u32>(<usize>at(places, node));
    store<u32>(next, word);
    store<u16>(next, <u16>above, 6);
    store<i32>(top, at(rights, node));
    store<i32>(top, own, 4);
    store<usize>(top, next, 8);
    store<i32>(top, at(lefts, node), 12);
    store<i32>(top, above, 16);
    store<usize>(top, 0, 20);
    top += 24;
    next += 8;
    if (word & CATEGORICAL) {
      copySet(node, next);
      next += SET_BYTES;
    }
  }
  return next;
}

/** Four planes of bytes, of the exits' values in single precision; false where that loses digits. */
function writeSmall(exitValues: usize, table: usize): bool {
  if (exits > 16 || width > 1) return false;
  for (let exit: usize = 0; exit < <usize>exits; exit++) {
    const value = load<f64>(exitValues + (exit << 3));
    const single = <f32>value;
    if (reinterpret<u64>(<f64>single) !== reinterpret<u64>(value)) return false;
    const bits = reinterpret<u32>(single);
    for (let byte: usize = 0; byte < 4; byte++) {
      store<u8>(table + (byte << 4) + exit, <u8>(bits >> ((<u32>byte) << 3)));
    }
  }
  return true;
}

/**
 * Compiles trees.
 *
 * @param count of trees; @param order i32 each: their numbers, grouped by output
 * @param treeFeatures … @param categorySets the arrays of a `TreeEnsemble`, of `nodes` nodes; the first
 *   bytes of each set alone, where fewer are kept
 * @param isByLeaf as \`openStored\` leaves them: splits of leaves say where their values are
 * @param binsOf i32 a feature: its value bins
 * @param room what is written to `records`, `programs`, `exitValues` and `tables` has room there
 * @param planeSlots i32 × 2 a feature, zero; @param planeList room for so many planes and one more
 * @param scratch 29 bytes a node, and 64
 * @returns planes
 */
export function compileTrees(
  count: i32,
  order: usize,
  treeStarts: usize,
  nodes: i32,
  treeFeatures: usize,
  treeSplits: usize,
  treeCategorical: usize,
  treeMissingLeft: usize,
  treeLefts: usize,
  treeRights: usize,
  treeValues: usize,
  leafWidth: i32,
  isByLeaf: i32,
  categorySets: usize,
  bytesPerSet: usize,
  binsOf: usize,
  planeSlots: usize,
  planeList: usize,
  trees: usize,
  records: usize,
  programs: usize,
  exitValues: usize,
  tables: usize,
  scratch: usize,
): i32 {
  features = treeFeatures;
  splits = treeSplits;
  categorical = treeCategorical;
  missingLeft = treeMissingLeft;
  lefts = treeLefts;
  rights = treeRights;
  values = treeValues;
  width = leafWidth;
  sets = categorySets;
  setBytes = bytesPerSet;
  byLeaf = isByLeaf !== 0;
  valueBins = binsOf;
  planeOf = planeSlots;
  planes = planeList;
  planeCount = 1;
  places = scratch;
  const exitNodes = places + ((<usize>nodes) << 2);
  stack = exitNodes + ((<usize>nodes) << 2);
  const opened = stack + <usize>nodes * 20 + 64;
  for (let index = 0; index < count; index++) {
    const tree = at(order, index);
    const root = at(treeStarts, tree);
    const leaves = (at(treeStarts, tree + 1) - root + 1) >> 1;
    const described = trees + <usize>index * TREE_BYTES;
    store<usize>(described, records, ROOT);
    records = writeRecords(root, records);
    const isWhole = leaves <= MOST_EXITS;
    if (!isWhole) {
      openNodes(root, leaves > LARGE_LEAVES ? LARGE_EXITS : MOST_EXITS, opened, stack);
    }
    store<usize>(described, programs, PROGRAM);
    programs = writeProgram(root, programs, isWhole ? 0 : opened, exitNodes);
    store<usize>(described, programs, PROGRAM_END);
    store<usize>(described, exitValues, EXIT_VALUES);
    store<usize>(described, tables, EXIT_TABLE);
    let kind = WHOLE;
    for (let exit = 0; !isWhole && exit < exits; exit++) {
      if (at(features, at(exitNodes, exit)) >= 0) kind = PARTIAL;
    }
    if (kind === PARTIAL) {
      for (let exit = 0; exit < exits; exit++) {
        store<i32>(tables, at(places, at(exitNodes, exit)));
        tables += 4;
      }
    } else {
      const from = exitValues;
      for (let exit = 0; exit < exits; exit++) {
        exitValues += copyValues(at(exitNodes, exit), exitValues);
      }
      if (writeSmall(from, tables)) {
        kind = SMALL;
        tables += SMALL_BYTES;
      }
    }
    store<i32>(described, kind, KIND);
  }
  return <i32>planeCount;
}
