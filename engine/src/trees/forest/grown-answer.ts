/** What a device says of a grown tree: whether it can be true, and how it comes into the memory of a slot. */

import * as layout from "../../kernels/assembly/forests/layout.ts";
import {
  FOREST_NODE_WORDS,
  HEAD_LEAVES,
  HEAD_SETS,
  NODE_MISSING_LEFT,
} from "../../shaders/forest-form.ts";
import type { TreeSlots } from "./tree-slots.ts";

export interface AnsweredTree {
  readonly head: Uint32Array;
  /** Entries of rows that it learned from. */
  readonly rows: number;
  /** Of its nodes. */
  readonly count: number;
  /** FOREST_NODE_WORDS each; see `shaders/forest.ts`. */
  readonly nodes: Uint32Array;
  /** The same as f64: those of a node begin at FOREST_NODE_WORDS / 2 times its number. */
  readonly gains: Float64Array;
  /** As many a node as a bin has. */
  readonly sums: Float64Array;
}

/** Of a node's record: the words of `Node` in the shader. */
const START = 0;
const COUNT = 1;
const FEATURE = 3;
const BIN = 4;
const CATEGORICAL = 6;
const ROWS = 7;
/** In f64. */
const GAIN = 4;
const LEFT = 10;
const SET = 12;
const NO_FEATURE = 0xffffffff;

/** What the CPU found of a tree's root. */
export interface RootOfTree {
  readonly rows: number;
  /** Null where it cannot be split: its value is made of them already. */
  readonly sums: Float64Array | null;
  /** -1: it cannot be split. */
  readonly feature: number;
  readonly gain: number;
  readonly bin: number;
  readonly isCategorical: number;
}

/** Of the tree in the first slot, whose root has been looked at. */
export function rootOf(slots: TreeSlots): RootOfTree {
  const words = slots.words(0);
  const { arena, form } = slots;
  const at = words[layout.NODES / 4];
  // As `forests/node.ts` of the kernels has a node.
  const node = arena.i32(at, 9);
  const isLeaf = slots.state(0) === layout.GROWN;
  return {
    rows: words[layout.ROW_COUNT / 4],
    sums: isLeaf ? null : arena.f64(words[layout.OUT_SUMS / 4], form.width).slice(),
    feature: node[3],
    gain: arena.f64(at + 16, 1)[0],
    bin: node[6],
    isCategorical: node[8],
  };
}

/** Whether the tree fits together: no more than a device that went wrong by chance would get right. */
export function isSound(slots: TreeSlots, answered: AnsweredTree, root: RootOfTree): boolean {
  const { head, count, nodes, sums, gains, rows } = answered;
  const { width, features, minLeaf } = slots.form;
  const word = (node: number, field: number): number => nodes[FOREST_NODE_WORDS * node + field];
  if (head[HEAD_LEAVES] !== (count + 1) / 2 || rows !== root.rows) return false;
  if (word(0, START) !== 0 || word(0, COUNT) !== rows) return false;
  if (root.sums?.some((sum, c) => sum !== sums[c])) return false;
  let splits = 0;
  let sets = 0;
  for (let node = 0; node < count; node++) {
    const left = word(node, LEFT);
    if (left === 0) continue;
    splits++;
    if (left <= node || left % 2 === 0 || left + 1 >= count) return false;
    if (word(node, FEATURE) >= features) return false;
    if (word(node, CATEGORICAL) === 1) {
      if (word(node, BIN) >= head[HEAD_SETS]) return false;
      sets++;
    } else if (word(node, BIN) > 255) return false;
    const [start, entries] = [word(node, START), word(node, COUNT)];
    if (word(left, START) !== start || word(left + 1, START) !== start + word(left, COUNT))
      return false;
    if (word(left, COUNT) + word(left + 1, COUNT) !== entries) return false;
    if (word(left, ROWS) + word(left + 1, ROWS) !== word(node, ROWS)) return false;
    if (Math.min(word(left, ROWS), word(left + 1, ROWS)) < minLeaf) return false;
    for (let c = 0; c < width; c++) {
      const sum = sums[left * width + c] + sums[(left + 1) * width + c];
      if (sum !== sums[node * width + c]) return false;
    }
  }
  if (splits !== (count - 1) / 2 || sets !== head[HEAD_SETS]) return false;
  if (word(0, FEATURE) === NO_FEATURE) return root.feature === -1 && count === 1;
  return (
    word(0, FEATURE) === root.feature &&
    Object.is(gains[GAIN], root.gain) &&
    word(0, CATEGORICAL) === root.isCategorical &&
    (root.isCategorical === 1 || word(0, BIN) === root.bin)
  );
}

/** Puts a tree into the first slot, as if it had been grown there; its values are still to be made of its sums. */
export function fillSlot(slots: TreeSlots, answered: AnsweredTree, root: RootOfTree): void {
  const { head, count, nodes, gains, sums } = answered;
  const words = slots.words(0);
  const { arena } = slots;
  const at = (field: number): number => words[field / 4];
  const feature = arena.i32(at(layout.OUT_FEATURE), count);
  const split = arena.i32(at(layout.OUT_SPLIT), count);
  const isCategorical = arena.u8(at(layout.OUT_CATEGORICAL), count);
  const missingLeft = arena.u8(at(layout.OUT_MISSING_LEFT), count);
  const left = arena.i32(at(layout.OUT_LEFT), count);
  const right = arena.i32(at(layout.OUT_RIGHT), count);
  const gain = arena.f64(at(layout.OUT_GAIN), count);
  const sets = arena.u32(at(layout.OUT_SETS), 8 * head[HEAD_SETS]);
  arena.f64(at(layout.OUT_SUMS), sums.length).set(sums);
  for (let node = 0; node < count; node++) {
    const own = nodes.subarray(FOREST_NODE_WORDS * node, FOREST_NODE_WORDS * (node + 1));
    // A node may have a split that was not applied any more.
    const isLeaf = own[LEFT] === 0;
    feature[node] = isLeaf ? -1 : own[FEATURE];
    split[node] = isLeaf ? 0 : own[BIN];
    isCategorical[node] = isLeaf ? 0 : own[CATEGORICAL];
    missingLeft[node] = isLeaf ? 0 : own[NODE_MISSING_LEFT];
    left[node] = isLeaf ? -1 : own[LEFT];
    right[node] = isLeaf ? -1 : own[LEFT] + 1;
    gain[node] = isLeaf ? 0 : gains[(FOREST_NODE_WORDS / 2) * node + GAIN];
    if (isCategorical[node] === 1) sets.set(own.subarray(SET, SET + 8), 8 * own[BIN]);
  }
  words[layout.ROW_COUNT / 4] = root.rows;
  words[layout.NODE_COUNT / 4] = count;
  words[layout.LEAF_COUNT / 4] = head[HEAD_LEAVES];
  words[layout.OPEN_COUNT / 4] = 0;
  words[layout.OUT_SET_COUNT / 4] = head[HEAD_SETS];
}
