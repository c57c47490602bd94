/**
 * Has a device add up trees over rows, in the order of the trees and to the CPU's bits
 * (`shaders/tree-sums.ts`), and looks at some rows of each answer.
 */

import { Arena, ArenaFullError, type ArenaHandle } from "../compute/arena.ts";
import { ask, distrust, growAnswer, isOpen, type Lane, laneRecord } from "../compute/gpu/lane.ts";
import {
  BEGIN_ROWS,
  BEGIN_SUMS,
  MOST_ROWS,
  SUM_ROWS,
  SUMS_HEAD,
} from "../compute/gpu/sum-requests.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import type { BinnedData } from "../data/encoded.ts";
import type { SumSize, TreeSum, TreeSummer } from "./device-sums.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { packTrees } from "./packed-trees.ts";

/** Rows × trees of a request: a fraction of a second also of a software device. */
const MOST_WALKS = 2 ** 22;
/** Rows of an answer that are added up here as well. */
const CHECKED_ROWS = 16;
const MOST_REFUSALS = 3;
/** That sums of some rows take, to be held against one of a histogram. */
const REQUESTS = 4;
/** What the shader adds must stay finite. */
const MOST_SUM = 1e300;

/** What the device has of the trees that were summed last. */
interface Begun {
  readonly owner: object;
  readonly trees: TreeEnsemble;
  /** The bits of what sums start from. */
  readonly base: string;
}

export class LaneSums implements TreeSummer {
  readonly #lane: Lane;
  readonly #place: Arena | null;
  #begun: Begun | null = null;
  #stamp = 0;

  /** @param place the arena that the lane is of, where rows are of another one; null: they are of it */
  constructor(lane: Lane, place: ArenaHandle | null = null) {
    this.#lane = lane;
    this.#place = place && Arena.attach(place);
  }

  takes({ trees, nodes, rows }: SumSize, { bins, columnStride }: BinnedData): boolean {
    // A step of a walk costs the CPU as much as a cell of a histogram, or more; there are several requests.
    const steps = trees * rows * Math.max(1, Math.log2(nodes / trees));
    const least = Math.max(REQUESTS * this.#lane.leastCells, bins.length * columnStride);
    return steps >= least && isOpen(this.#lane) && laneRecord(this.#lane).refused < MOST_REFUSALS;
  }

  add(arena: Arena, sum: TreeSum): boolean {
    const place = this.#place ?? arena;
    try {
      return withScratch(place, (scratch) => {
        const trees = this.#begin(scratch, sum);
        return (
          trees !== null && this.#beginRows(scratch, arena, sum) && this.#addRows(arena, trees, sum)
        );
      });
    } catch (fault) {
      // Of memory for what is carried there.
      if (!(fault instanceof ArenaFullError)) throw fault;
      return false;
    }
  }

  close(): void {
    this.#begun = null;
  }

  /** Null where the device has not the trees. */
  #begin(scratch: Scratch, { owner, trees: given, binned, base }: TreeSum): TreeEnsemble | null {
    const known = this.#begun;
    const start = new BigUint64Array(Float64Array.from(base).buffer).join();
    if (known?.owner === owner && known.base === start) return known.trees;
    this.#begun = null;
    const trees = given();
    if (!isBounded(trees, base)) return null;
    const packed = packTrees(scratch, trees, binned.bins);
    const nodes = trees.feature.length;
    const leaves = (nodes + packed.trees) / 2;
    const isBegun = ask(this.#lane, BEGIN_SUMS, [
      ...[packed.records, nodes, packed.leafValues, leaves * packed.valuesPerNode],
      ...[packed.sets, trees.categorySets.length, packed.starts, packed.output],
      ...[packed.trees, packed.valuesPerNode, scratch.f64(base), base.length],
    ]);
    if (!isBegun) return null;
    this.#begun = { owner, trees, base: start };
    return trees;
  }

  #beginRows(scratch: Scratch, arena: Arena, { binned, rows, count }: TreeSum): boolean {
    const { columnMajor, columnStride, bins } = binned;
    const isElsewhere = scratch.arena.memory !== arena.memory;
    const columns = isElsewhere
      ? scratch.u8(arena.u8(columnMajor, bins.length * columnStride))
      : columnMajor;
    const list = isElsewhere && rows !== 0 ? scratch.u32(arena.u32(rows, count)) : rows;
    return ask(this.#lane, BEGIN_ROWS, [columns, columnStride, bins.length, list, count]);
  }

  #addRows(arena: Arena, trees: TreeEnsemble, sum: TreeSum): boolean {
    const { count, base, scores } = sum;
    const lane = this.#lane;
    const outputs = base.length;
    const most = Math.floor(MOST_WALKS / trees.treeOutput.length);
    const size = Math.max(1, Math.min(MOST_ROWS, most));
    for (let first = 0; first < count; first += size) {
      const piece = Math.min(size, count - first);
      this.#stamp = (this.#stamp + 1) & 0x7fffffff;
      if (!growAnswer(lane, SUMS_HEAD + 8 * piece * outputs)) return false;
      if (!ask(lane, SUM_ROWS, [first, piece, this.#stamp])) {
        this.#begun = null;
        return false;
      }
      const [done, stamp] = new Uint32Array(lane.answer, 0, 2);
      const answered = new Float64Array(lane.answer, SUMS_HEAD, piece * outputs);
      if (done !== piece || stamp !== this.#stamp || !isRight(arena, trees, sum, first, answered)) {
        distrust(lane);
        return false;
      }
      arena.f64(scores + 8 * first * outputs, answered.length).set(answered);
    }
    return true;
  }
}

/** Whether no sum can leave the finite numbers. */
function isBounded(trees: TreeEnsemble, base: ArrayLike<number>): boolean {
  let most = 0;
  for (const value of trees.value) most = Math.max(most, Math.abs(value));
  let start = 0;
  for (let k = 0; k < base.length; k++) start = Math.max(start, Math.abs(base[k]));
  return start + most * trees.treeOutput.length < MOST_SUM;
}

/** Adds up some rows of a piece here, and compares their bits. */
function isRight(
  arena: Arena,
  trees: TreeEnsemble,
  { rows, base, binned }: TreeSum,
  first: number,
  answered: Float64Array,
): boolean {
  const outputs = base.length;
  const count = answered.length / outputs;
  const step = Math.max(1, Math.floor(count / CHECKED_ROWS));
  const expected = new Float64Array(outputs);
  const checked = new Set([count - 1]);
  for (let i = 0; i < count; i += step) checked.add(i);
  const bitsOf = (values: Float64Array): Uint32Array =>
    new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  for (const i of checked) {
    const row = rows === 0 ? first + i : arena.u32(rows, first + i + 1)[first + i];
    for (let k = 0; k < outputs; k++) expected[k] = base[k];
    addRow(arena, trees, binned, row, expected);
    const own = bitsOf(answered.subarray(i * outputs, (i + 1) * outputs));
    if (bitsOf(expected).some((word, k) => word !== own[k])) return false;
  }
  return true;
}

/** Walks one row down all trees. */
function addRow(
  arena: Arena,
  trees: TreeEnsemble,
  binned: BinnedData,
  row: number,
  sums: Float64Array,
): void {
  const { treeStarts, treeOutput, valuesPerNode: width } = trees;
  for (let tree = 0; tree < treeOutput.length; tree++) {
    let node = treeStarts[tree];
    while (trees.feature[node] >= 0) {
      const feature = trees.feature[node];
      const [bin] = arena.u8(binned.columnMajor + feature * binned.columnStride + row, 1);
      const isLeft = goesLeft(trees, node, bin, binned.bins[feature].valueBins);
      node = isLeft ? trees.left[node] : trees.right[node];
    }
    for (let k = 0; k < width; k++) {
      sums[(width === 1 ? treeOutput[tree] : 0) + k] += trees.value[node * width + k];
    }
  }
}

function goesLeft(trees: TreeEnsemble, node: number, bin: number, missing: number): boolean {
  const split = trees.splitBin[node];
  if (trees.isCategorical[node] === 1) {
    return ((trees.categorySets[8 * split + (bin >> 5)] >>> (bin & 31)) & 1) === 1;
  }
  return bin === missing ? trees.missingLeft[node] === 1 : bin <= split;
}
