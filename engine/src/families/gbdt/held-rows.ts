/**
 * Rounds of boosting whose training rows stay on a device from tree to tree: their scores, gradients and leaves are
 * computed there, to the CPU's bits (`compute/gpu/boosting-program.ts`). What comes home of a tree is sums, splits and
 * the rows of nodes too small for the device; what goes there is the tree and its leaves' values.
 *
 * Rows that are validated on stay here, and so do some that are learned from, which say whether the device is to be
 * believed: those of the last block, whose sums must be the CPU's, and some far apart.
 */

import type { Arena } from "../../compute/arena.ts";
import {
  ADD_LEAVES,
  BEGIN_BOOSTING,
  DRAWN_BYTES,
  GRADIENTS,
  LEAF_SUMS,
  LOSSES,
  leafSumBytes,
} from "../../compute/gpu/boosting-requests.ts";
import { ask, distrust, growAnswer, type Lane } from "../../compute/gpu/lane.ts";
import type { RandomKey } from "../../compute/random.ts";
import * as layout from "../../kernels/assembly/crew/crew-layout.ts";
import type { TreeGrower, TreeInput } from "../../trees/grower.ts";
import type { TreeDevice } from "../../trees/tree-device.ts";
import type { GradientDraws } from "./gradient-draws.ts";
import type { HeldLists } from "./held-lists.ts";
import type { Objective } from "./objective.ts";
import { scalesOf } from "./quantisation.ts";
import {
  type BoostingState,
  type DrawnSums,
  drawnSums,
  type RowList,
  type RowWork,
} from "./row-work.ts";

/** Words of a block's sums, of those of drawn gradients, of a compared row, of a leaf's sums, as the shaders write them. */
const BLOCK_WORDS = 8;
const DRAWN_WORDS = 12;
const COMPARED_WORDS = 6;
const LEAF_WORDS = 5;
/** Targets, weights and scores below it leave no product or sum of theirs outside f32. */
const MOST_NUMBER = 1e15;

export interface HeldRowsOptions {
  readonly arena: Arena;
  readonly lists: HeldLists;
  readonly state: BoostingState;
  readonly work: RowWork;
  readonly objective: Objective;
  readonly grower: TreeGrower;
  readonly train: RowList;
  readonly targets: Float64Array;
  readonly weights: Float64Array | null;
  readonly base: Float64Array;
  /** Where trees' structures are chosen by other gradients than their leaves' values. */
  readonly draws: GradientDraws | null;
}

/** How the rows of a round are drawn. */
export interface BagDraw {
  /** Of 2¹⁶. */
  readonly threshold: number;
  readonly key: RandomKey;
}

/** A tree of the round. */
export interface HeldTreeInput extends Pick<TreeInput, "features" | "key"> {
  readonly output: number;
  /** From 0. */
  readonly round: number;
  readonly learningRate: number;
  /** Of splits of sorted categories; 0: not asked for. */
  readonly noise: number;
}

export class HeldRows {
  readonly #options: HeldRowsOptions;
  readonly #isBounded: boolean;
  /** Of any score, in size. */
  #mostScore: number;
  #isAway = false;
  #isRefused = false;
  #bag: BagDraw | null = null;
  /** Rows that the round learns from. */
  #inBag = 0;
  #isFirst = false;
  #stamp = 0;

  constructor(options: HeldRowsOptions) {
    this.#options = options;
    const { targets, weights, base } = options;
    this.#mostScore = mostOf(base);
    this.#isBounded = mostOf(targets) < MOST_NUMBER && mostOf(weights ?? []) < MOST_NUMBER;
  }

  /** Whether the scores of rows that are learned from are on the device, and here are not. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** The scores are here again, or are about to be. */
  leave(): void {
    this.#isAway = false;
  }

  /**
   * Has the device take the rows and draw the round's. False: the CPU does the round, and where `isAway`, it has to
   * find the scores first.
   *
   * @param bag how rows are drawn; null: all are learned from
   * @param fraction of them that a tree has, about
   */
  beginRound(bag: BagDraw | null, fraction: number, features: number): boolean {
    const { grower, train, objective, work, lists } = this.#options;
    const { device } = grower;
    if (device === null || !this.#isBounded || this.#isRefused) return false;
    if (!this.#isAway && !device.takes(Math.floor(train.count * fraction), features)) return false;
    if (!this.#isAway) {
      this.#isAway = this.#enter(device);
      // What it has no room for it will not have later.
      this.#isRefused = !this.#isAway;
    }
    if (!this.#isAway) return false;
    this.#bag = bag;
    this.#isFirst = true;
    this.#inBag = train.count;
    objective.beginRound(work, lists.checked);
    return true;
  }

  #enter(device: TreeDevice): boolean {
    const { state, train, objective, targets, grower, lists, draws } = this.#options;
    if (objective.held === undefined || !device.beginFit()) return false;
    return ask(device.lane, BEGIN_BOOSTING, [
      ...[state.targets, targets.length, state.weights, train.pointer, train.count],
      ...[state.scores, state.outputs, LOSSES.indexOf(objective.held), state.outputs],
      ...[lists.compared.pointer, lists.compared.count, grower.mostLeaves, draws ? 1 : 0],
    ]);
  }

  /**
   * Grows a tree and adds its values to the scores; returns its number of nodes. 0: the CPU does it, and has to find
   * the scores first.
   */
  grow({ output, round, features, key, learningRate, noise }: HeldTreeInput): number {
    const { arena, lists, state, work, grower, train, draws } = this.#options;
    const { device } = grower;
    if (device === null) return 0;
    const sums = this.#gradients(device.lane, output, key, noise > 0);
    if (sums === null) return 0;
    const { fine, ...own } = scalesOf(sums.gradient, sums.hessian, train.count);
    const structure = sums.drawn && draws?.structure(sums.drawn, train.count, round);
    const scales = structure?.scales ?? { fine, ...own };
    arena.f64(lists.scales, 4).set([scales.gradient, scales.hessian, fine.gradient, fine.hessian]);
    const nodes = grower.grow({
      rows: train.pointer,
      rowCount: this.#inBag,
      features,
      packed: state.packed,
      gradientScale: scales.gradient,
      hessianScale: scales.hessian,
      scoreNoise: structure?.noise ?? 0,
      key,
      held: { scales: lists.scales, isBag: this.#isBag, wantsRows: state.weights !== 0 },
      ...(noise > 0 && { noise: sums.hessian > 0 ? (noise * sums.squares) / sums.hessian : 0 }),
    });
    if (nodes === 0) return 0;
    work.quantise(lists.compared, scales, draws?.drawn);
    if (!this.#sumLeaves(device.lane, nodes, output)) return 0;
    if (!grower.finishAway(nodes, fine, learningRate, state.weights, draws === null)) {
      distrust(device.lane);
      return 0;
    }
    if (!this.#addLeaves(device.lane, nodes, output)) return 0;
    const scores = state.scores + output * state.rows * 8;
    grower.follow(nodes, lists.followers.pointer, lists.followers.count, scores);
    return nodes;
  }

  get #isBag(): boolean {
    return this.#bag !== null && this.#inBag < this.#options.train.count;
  }

  /** Gradients of all rows that are learned from; null where the device does not say. */
  #gradients(lane: Lane, output: number, tree: RandomKey, wantsSpread: boolean): Sums | null {
    const { train, objective, work, lists, draws } = this.#options;
    const blocks = Math.ceil(train.count / layout.BLOCK_ROWS);
    const drawnAt = DRAWN_BYTES + 4 * BLOCK_WORDS * blocks;
    const bytes = drawnAt + (draws === null ? 0 : 4 * DRAWN_WORDS * blocks);
    if (!growAnswer(lane, bytes + 4 * COMPARED_WORDS * lists.compared.count)) return null;
    const { threshold = 0, key = { low: 0, high: 0 } } = this.#bag ?? {};
    const flags = [wantsSpread ? 1 : 0, this.#nextStamp(), this.#isFirst ? 1 : 0];
    const bag = [threshold, key.low, key.high];
    const drawing = [draws?.threshold ?? 0, tree.low, tree.high];
    if (!ask(lane, GRADIENTS, [output, ...flags, ...bag, ...drawing])) return null;
    if (this.#isFirst && threshold > 0 && !this.#takeBag(lane)) return null;
    this.#isFirst = false;
    const words = new Uint32Array(lane.answer, DRAWN_BYTES, BLOCK_WORDS * blocks);
    const numbers = new Float64Array(lane.answer, DRAWN_BYTES, words.length / 2);
    const sums = { gradient: 0, hessian: 0, squares: 0 };
    for (let block = 0; block < blocks; block++) {
      const at = BLOCK_WORDS * block;
      const due = Math.min(layout.BLOCK_ROWS, train.count - block * layout.BLOCK_ROWS);
      if (words[at + 6] !== due || words[at + 7] !== this.#stamp) {
        distrust(lane);
        return null;
      }
      sums.gradient += numbers[at / 2];
      sums.hessian += numbers[at / 2 + 1];
      if (wantsSpread) sums.squares += numbers[at / 2 + 2];
    }
    // The last block and the other rows that stay here, by the CPU.
    objective.gradients(work, lists.compared, output);
    const own = objective.gradients(work, lists.lastBlock, output);
    const last = [own.gradient, own.hessian];
    if (wantsSpread) last.push(work.gradients(layout.GRADIENT_SPREAD, lists.lastBlock, 0).gradient);
    const at = (BLOCK_WORDS / 2) * (blocks - 1);
    if (
      last.every((sum, i) => Object.is(sum, numbers[at + i])) &&
      this.#isCompared(lane, bytes, output)
    ) {
      if (draws === null) return { ...sums, drawn: null };
      const drawn = this.#drawn(lane, draws, tree, drawnAt);
      if (drawn !== null) return { ...sums, drawn };
    }
    distrust(lane);
    return null;
  }

  /** The sums of gradients that were drawn; null where they cannot be those. @param at of them in the answer */
  #drawn(lane: Lane, draws: GradientDraws, tree: RandomKey, at: number): DrawnSums | null {
    const { train, lists } = this.#options;
    const blocks = Math.ceil(train.count / layout.BLOCK_ROWS);
    const words = new Uint32Array(lane.answer, at, DRAWN_WORDS * blocks);
    const numbers = new Float64Array(lane.answer, at, words.length / 2);
    const total: [number, number, number, number] = [0, 0, 0, 0];
    const last = (DRAWN_WORDS / 2) * (blocks - 1);
    for (let block = 0; block < blocks; block++) {
      const due = Math.min(layout.BLOCK_ROWS, train.count - block * layout.BLOCK_ROWS);
      const [rows, stamp] = words.subarray(DRAWN_WORDS * block + 8);
      if (rows !== due || stamp !== this.#stamp) return null;
      for (let k = 0; k < 4; k++) total[k] += numbers[(DRAWN_WORDS / 2) * block + k];
    }
    draws.draw(lists.compared, tree);
    const own = draws.draw(lists.lastBlock, tree);
    const isSame = [own.gradient, own.weight, own.squares, own.whole].every((sum, k) =>
      Object.is(sum, numbers[last + k]),
    );
    return isSame ? drawnSums(total) : null;
  }

  /** How many rows were drawn. False where that cannot be. */
  #takeBag(lane: Lane): boolean {
    const { count } = this.#options.train;
    const [drawn, stamp] = new Uint32Array(lane.answer, 0, 2);
    if (stamp !== this.#stamp || drawn > count) {
      distrust(lane);
      return false;
    }
    // So few rows that none was drawn: this round learns from all of them.
    this.#inBag = drawn > 0 ? drawn : count;
    return true;
  }

  /** Whether scores and gradients of rows that stay here are those of an answer. @param units packed ones, too */
  #isCompared(lane: Lane, at: number, output: number, units = false): boolean {
    const { arena, state, lists } = this.#options;
    const { pointer, count } = lists.compared;
    const found = new Uint32Array(lane.answer, at, COMPARED_WORDS * count);
    const parts = [state.scores + 8 * output * state.rows, state.gradients];
    if (units) parts.push(state.packed);
    const views = parts.map((part) => arena.u32(part, 2 * state.rows));
    return arena.u32(pointer, count).every((row, i) =>
      views.every((view, part) => {
        const word = COMPARED_WORDS * i + 2 * part;
        return view[2 * row] === found[word] && view[2 * row + 1] === found[word + 1];
      }),
    );
  }

  /** Brings the sums of each leaf's gradients to where the grower reads them. */
  #sumLeaves(lane: Lane, nodes: number, output: number): boolean {
    const { arena, grower, lists } = this.#options;
    const { tree } = grower;
    const leaves = (nodes + 1) / 2;
    this.#writeRecords(nodes);
    const bytes = leafSumBytes(leaves);
    if (!growAnswer(lane, bytes + 4 * COMPARED_WORDS * lists.compared.count)) return false;
    const isAnswered = ask(lane, LEAF_SUMS, [
      ...[grower.leafSums, nodes, grower.sets, 8 * grower.setCount],
      ...[leaves, lists.scales + 16, output, this.#isBag ? 1 : 0],
    ]);
    if (!isAnswered) return false;
    const found = new Uint32Array(lane.answer, 0, LEAF_WORDS * leaves);
    const sums = arena.u32(grower.leafSums, 4 * nodes);
    for (let node = 0, leaf = 0; node < nodes; node++) {
      if (tree.feature[node] >= 0) continue;
      const own = found.subarray(LEAF_WORDS * leaf++);
      // The rows were counted by those who parted them as well.
      if (own[0] !== tree.count[node]) {
        distrust(lane);
        return false;
      }
      sums.set(own.subarray(1, LEAF_WORDS), 4 * node);
    }
    if (this.#isCompared(lane, bytes, output, true)) return true;
    distrust(lane);
    return false;
  }

  /** As `shaders/leaf-sums.ts` walks them. Leaves are numbered in the order of their nodes. */
  #writeRecords(nodes: number): void {
    const { arena, grower } = this.#options;
    const { tree, valueBins } = grower;
    const records = arena.u32(grower.leafSums, 4 * nodes);
    let leaf = 0;
    for (let node = 0; node < nodes; node++) {
      const feature = tree.feature[node];
      if (feature < 0) {
        records.set([0, leaf++, node, node], 4 * node);
        continue;
      }
      const split = tree.splitBin[node];
      const isCategorical = tree.isCategorical[node] === 1;
      // No bin is 0xffff. A missing value goes right where its bin is above the split.
      const missing = tree.missingLeft[node] === 1 ? valueBins[feature] : 0xffff;
      const words = isCategorical
        ? [(feature | 0x80000000) >>> 0, split]
        : [feature, (split | (missing << 16)) >>> 0];
      records.set([...words, tree.left[node], tree.right[node]], 4 * node);
    }
  }

  #addLeaves(lane: Lane, nodes: number, output: number): boolean {
    const { arena, grower } = this.#options;
    const { tree } = grower;
    const leaves = (nodes + 1) / 2;
    const values = arena.f64(grower.leafSums, leaves);
    for (let node = 0, leaf = 0; node < nodes; node++) {
      if (tree.feature[node] < 0) values[leaf++] = tree.value[node];
    }
    this.#mostScore += mostOf(values);
    // What the CPU makes of numbers that are no longer finite is the CPU's.
    if (!(this.#mostScore < MOST_NUMBER)) {
      this.#isRefused = true;
      return false;
    }
    return ask(lane, ADD_LEAVES, [grower.leafSums, leaves, output]);
  }

  #nextStamp(): number {
    this.#stamp = (this.#stamp + 1) & 0x7fffffff;
    return this.#stamp;
  }
}

interface Sums {
  readonly gradient: number;
  readonly hessian: number;
  /** Σ g² / w, where it was asked for. */
  readonly squares: number;
  /** Of those that were drawn; null: none are. */
  readonly drawn: DrawnSums | null;
}

/** The largest in size; infinite where one is no finite number. */
function mostOf(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]);
    if (size <= most) continue;
    if (!Number.isFinite(size)) return Number.POSITIVE_INFINITY;
    most = size;
  }
  return most;
}
