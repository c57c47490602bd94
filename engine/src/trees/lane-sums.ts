/**
 * Has a device add up trees over rows, in the order of the trees and to the CPU's bits
 * (`shaders/tree-sums.ts`), and looks at some rows of each answer.
 */

import type { Arena } from "../compute/arena.ts";
import { ask, distrust, growAnswer, type Lane, laneRecord } from "../compute/gpu/lane.ts";
import {
  BEGIN_ROWS,
  BEGIN_SUMS,
  MOST_ROWS,
  SUM_ROWS,
  SUMS_HEAD,
} from "../compute/gpu/sum-requests.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import type { BinnedData } from "../data/encoded.ts";
import type { TreeSum, TreeSummer } from "./device-sums.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { packTrees } from "./packed-trees.ts";

/** Rows × trees of a request: a fraction of a second also of a software device. */
const MOST_WALKS = 2 ** 22;
/** Rows of an answer that are added up here as well. */
const CHECKED_ROWS = 16;
const MOST_REFUSALS = 3;
/** What the shader adds must stay finite. */
const MOST_SUM = 1e300;

export class LaneSums implements TreeSummer {
  readonly #lane: Lane;
  #stamp = 0;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  takes(trees: number, count: number, { bins, columnStride }: BinnedData): boolean {
    // A walk costs the CPU more than a cell of a histogram, and more than what carries a byte there.
    const least = Math.max(this.#lane.leastCells, bins.length * columnStride);
    return trees * count >= least && laneRecord(this.#lane).refused < MOST_REFUSALS;
  }

  add({ arena }: Scratch, sum: TreeSum): boolean {
    return isBounded(sum) && withScratch(arena, (scratch) => this.#add(scratch, sum));
  }

  #add(scratch: Scratch, sum: TreeSum): boolean {
    const { trees, binned, rows, count, base, scores } = sum;
    const lane = this.#lane;
    const outputs = base.length;
    const packed = packTrees(scratch, trees, binned.bins);
    const nodes = trees.feature.length;
    const leaves = (nodes + packed.trees) / 2;
    const isBegun =
      ask(lane, BEGIN_SUMS, [
        ...[packed.records, nodes, packed.leafValues, leaves * packed.valuesPerNode],
        ...[packed.sets, trees.categorySets.length, packed.starts, packed.output],
        ...[packed.trees, packed.valuesPerNode, scratch.f64(base), outputs],
      ]) &&
      ask(lane, BEGIN_ROWS, [
        ...[binned.columnMajor, binned.columnStride, binned.bins.length],
        ...[rows, count],
      ]);
    if (!isBegun) return false;
    const size = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_WALKS / packed.trees)));
    for (let first = 0; first < count; first += size) {
      const piece = Math.min(size, count - first);
      const bytes = 8 * piece * outputs;
      this.#stamp = (this.#stamp + 1) & 0x7fffffff;
      if (!growAnswer(lane, SUMS_HEAD + bytes)) return false;
      if (!ask(lane, SUM_ROWS, [first, piece, this.#stamp])) return false;
      const [done, stamp] = new Uint32Array(lane.answer, 0, 2);
      const answered = new Float64Array(lane.answer, SUMS_HEAD, piece * outputs);
      if (
        done !== piece ||
        stamp !== this.#stamp ||
        !isRight(scratch.arena, sum, first, answered)
      ) {
        distrust(lane);
        return false;
      }
      scratch.arena.f64(scores + 8 * first * outputs, answered.length).set(answered);
    }
    return true;
  }
}

/** Whether no sum can leave the finite numbers. */
function isBounded({ trees, base }: TreeSum): boolean {
  let most = 0;
  for (const value of trees.value) most = Math.max(most, Math.abs(value));
  let start = 0;
  for (let k = 0; k < base.length; k++) start = Math.max(start, Math.abs(base[k]));
  return start + most * trees.treeOutput.length < MOST_SUM;
}

/** Adds up some rows of a piece here, and compares their bits. */
function isRight(arena: Arena, sum: TreeSum, first: number, answered: Float64Array): boolean {
  const { trees, rows, base } = sum;
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
    addRow(arena, sum, row, expected);
    const own = bitsOf(answered.subarray(i * outputs, (i + 1) * outputs));
    if (bitsOf(expected).some((word, k) => word !== own[k])) return false;
  }
  return trees.treeOutput.length > 0;
}

/** Walks one row down all trees. */
function addRow(arena: Arena, { trees, binned }: TreeSum, row: number, sums: Float64Array): void {
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
