/**
 * A fit's side of growing trees on a device: asks for what the kernels want of nodes that are away, and
 * copies the answers to where the kernels would have put them.
 */

import type { Arena, Pointer } from "../compute/arena.ts";
import type { DeviceCalls } from "../compute/gpu/device-calls.ts";
import { ask, distrust, growAnswer, type Lane, laneRecord } from "../compute/gpu/lane.ts";
import {
  ANSWER_HEAD,
  BEGIN_FIT,
  BEGIN_TREE,
  NODE_HISTOGRAM,
  NODE_ROWS,
  SPLIT_NODE,
} from "../compute/gpu/tree-requests.ts";
import * as layout from "../kernels/assembly/layout.ts";

/** Of rows that are brought home at once. */
const ROWS_A_PIECE = 2 ** 24;

/** A fit that was refused so often asks no more: what a device has no room for it seldom has later. */
const MOST_REFUSALS = 3;

/** Of one fit. */
export interface DeviceShare {
  readonly lane: Lane;
  /** Of the data. */
  readonly rows: number;
  /** The bins stay as they are while their arena is there: not those that one fit derived. */
  readonly binsStay: boolean;
}

/** The histogram that came with the last split. */
interface Brought {
  readonly first: number;
  readonly count: number;
  readonly at: number;
}

export class TreeDevice implements DeviceCalls {
  readonly #arena: Arena;
  readonly #lane: Lane;
  readonly #words: Int32Array;
  readonly #share: DeviceShare;
  readonly #rowCapacity: number;
  readonly #least: number;
  #hasBegun = false;
  #rows: Pointer = 0;
  #rowCount = 0;
  #features = "";
  #leastRows = 0;
  #stamp = 0;
  #brought: Brought | null = null;

  /**
   * @param words the grower's block
   * @param rowCapacity most rows of a tree
   * @param least nodes of fewer rows never go to the device
   */
  constructor(
    arena: Arena,
    share: DeviceShare,
    words: Int32Array,
    rowCapacity: number,
    least: number,
  ) {
    this.#arena = arena;
    this.#lane = share.lane;
    this.#words = words;
    this.#share = share;
    this.#rowCapacity = rowCapacity;
    this.#least = least;
  }

  /**
   * Brings the next tree's rows and gradients to the device. Returns how many rows a node has at least that is
   * away; 0: none is.
   */
  begin(redrawn: boolean): number {
    const features = this.#word(layout.FEATURE_COUNT);
    const rowCount = this.#word(layout.ROW_COUNT);
    const cells = this.#lane.leastCells;
    const least = Math.max(this.#least, Math.ceil(cells / features));
    if (rowCount < least || features === 0) return 0;
    if (laneRecord(this.#lane).refused >= MOST_REFUSALS) return 0;
    if (!growAnswer(this.#lane, this.#answerBytes(least))) return 0;
    if (!this.#hasBegun && !this.#beginFit()) return 0;
    const rows = this.#word(layout.SOURCE_ROWS);
    const isOther = redrawn || rows !== this.#rows || rowCount !== this.#rowCount;
    const list = this.#arena.u32(this.#word(layout.FEATURE_LIST), features).join();
    const entries = this.#word(layout.HISTOGRAM_ENTRIES);
    const isBegun = ask(this.#lane, BEGIN_TREE, [
      this.#word(layout.PACKED),
      rows,
      rowCount,
      isOther ? 1 : 0,
      this.#word(layout.FEATURE_LIST),
      this.#word(layout.OFFSETS),
      this.#word(layout.VALUE_BINS),
      features,
      entries,
      list === this.#features ? 0 : 1,
    ]);
    this.#brought = null;
    // A refusal may have left half of it there.
    this.#hasBegun = isBegun;
    if (!isBegun) return 0;
    this.#rows = rows;
    this.#rowCount = rowCount;
    this.#features = list;
    this.#leastRows = least;
    return least;
  }

  #beginFit(): boolean {
    this.#rowCount = 0;
    this.#features = "";
    return ask(this.#lane, BEGIN_FIT, [
      this.#word(layout.ROW_MAJOR),
      this.#word(layout.ROW_STRIDE),
      this.#share.rows,
      this.#rowCapacity,
      this.#share.binsStay ? 1 : 0,
    ]);
  }

  histogram(first: number, count: number, to: Pointer): boolean {
    const bytes = 8 * this.#word(layout.HISTOGRAM_ENTRIES);
    const brought = this.#brought;
    let at = 0;
    if (brought?.first === first && brought.count === count) at = brought.at;
    else {
      // It will be written over.
      this.#brought = null;
      if (!ask(this.#lane, NODE_HISTOGRAM, [first, count]) || !this.#addsUp(0)) return false;
    }
    this.#arena.u8(to, bytes).set(new Uint8Array(this.#lane.answer, at, bytes));
    return true;
  }

  split(
    first: number,
    count: number,
    feature: number,
    table: Pointer,
    wantsHistogram: boolean,
  ): number {
    const least = this.#leastRows;
    const goes = this.#arena.u8(table, 256);
    const bits = new Array<number>(8).fill(0);
    for (let bin = 0; bin < 256; bin++) bits[bin >> 5] |= goes[bin] << (bin & 31);
    this.#stamp = (this.#stamp + 1) & 0x7fffffff;
    const wants = wantsHistogram ? 1 : 0;
    this.#brought = null;
    if (!ask(this.#lane, SPLIT_NODE, [first, count, feature, least, wants, ...bits, this.#stamp])) {
      return -1;
    }
    const { answer } = this.#lane;
    const [left, stamp] = new Uint32Array(answer, 0, 2);
    if (stamp !== this.#stamp || left > count) return this.#distrusted();
    const right = count - left;
    const smaller = Math.min(left, right);
    let at = ANSWER_HEAD;
    if (wantsHistogram) {
      if (smaller >= least) {
        if (!this.#addsUp(at)) return -1;
        this.#brought = { first: left <= right ? first : first + left, count: smaller, at };
      }
      at += 8 * this.#word(layout.HISTOGRAM_ENTRIES);
    }
    const ends = Math.min(least - 1, count);
    const rows = this.#arena.u32(this.#word(layout.ROWS) + 4 * first, count);
    if (left < least) rows.set(new Uint32Array(answer, at, left));
    if (right < least) rows.set(new Uint32Array(answer, at + 4 * (2 * ends - right), right), left);
    return left;
  }

  leaves(nodes: number): boolean {
    const [left, starts, counts] = [layout.OUT_LEFT, layout.OUT_START, layout.OUT_COUNT].map(
      (field) => this.#arena.i32(this.#word(field), nodes),
    );
    for (let node = 0; node < nodes; node++) {
      if (left[node] >= 0 || counts[node] < this.#leastRows) continue;
      if (!this.#bringRows(starts[node], counts[node])) return false;
    }
    return true;
  }

  #bringRows(first: number, count: number): boolean {
    const end = first + count;
    for (let from = first; from < end; from += ROWS_A_PIECE) {
      const size = Math.min(ROWS_A_PIECE, end - from);
      if (!growAnswer(this.#lane, 4 * size)) return false;
      if (!ask(this.#lane, NODE_ROWS, [from, size])) return false;
      const rows = this.#arena.u32(this.#word(layout.ROWS) + 4 * from, size);
      rows.set(new Uint32Array(this.#lane.answer, 0, size));
    }
    return true;
  }

  /**
   * Whether the bins of each feature add up to the same: every row is in one of them. What the device lost or
   * counted twice shows here.
   */
  #addsUp(at: number): boolean {
    const features = this.#word(layout.FEATURE_COUNT);
    const entries = this.#word(layout.HISTOGRAM_ENTRIES);
    const sums = new Uint32Array(this.#lane.answer, at, 2 * entries);
    const list = this.#arena.u32(this.#word(layout.FEATURE_LIST), features);
    const valueBins = this.#arena.i32(this.#word(layout.VALUE_BINS), list[features - 1] + 1);
    let [hessian, gradient] = [0, 0];
    for (let j = 0, entry = 0; j < features; j++) {
      const end = entry + valueBins[list[j]] + 1;
      let [h, g] = [0, 0];
      for (; entry < end; entry++) {
        h = (h + sums[2 * entry]) | 0;
        g = (g + sums[2 * entry + 1]) | 0;
      }
      if (j === 0) [hessian, gradient] = [h, g];
      else if (h !== hessian || g !== gradient) return this.#distrusted() === 0;
    }
    return true;
  }

  /** @returns -1 */
  #distrusted(): number {
    distrust(this.#lane);
    return -1;
  }

  #answerBytes(least: number): number {
    return ANSWER_HEAD + 8 * this.#word(layout.HISTOGRAM_ENTRIES) + 8 * least;
  }

  #word(field: number): number {
    return this.#words[field / 4] >>> 0;
  }
}
