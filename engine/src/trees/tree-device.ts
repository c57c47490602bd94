/**
 * A fit's side of growing trees on a device: asks for what the kernels want of nodes that are away, and
 * copies the answers to where the kernels would have put them.
 */

import type { Arena, Pointer } from "../compute/arena.ts";
import type { DeviceCalls } from "../compute/gpu/device-calls.ts";
import { ask, distrust, growAnswer, type Lane } from "../compute/gpu/lane.ts";
import {
  ALL_HELD,
  AT_HOME,
  BAG_HELD,
  BEGIN_FIT,
  BEGIN_TREE,
  MOST_RANGES,
  mostSplits,
  NODE_HISTOGRAM,
  NODE_ROWS,
  SPLIT_NODES,
  SPLIT_WORDS,
} from "../compute/gpu/tree-requests.ts";
import { kernelsOf } from "../compute/kernels.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";
import { RECORD_WORDS } from "../kernels/assembly/growing/record-layout.ts";
import { DeviceWorth } from "./device-worth.ts";
import { type GrownThere, sidesOf } from "./grown-there.ts";
import {
  type NodeSplit,
  type NodeToSplit,
  readSplits,
  type SplitForm,
  splitAnswerBytes,
  writeSplit,
} from "./split-messages.ts";

/** Of rows that are brought home at once. */
const ROWS_A_PIECE = 2 ** 24;

/** Of one fit. */
export interface DeviceShare {
  readonly lane: Lane;
  /** Of the data. */
  readonly rows: number;
  /** The bins stay as they are while their arena is there: not those that one fit derived. */
  readonly binsStay: boolean;
}

/** A tree whose rows and gradients the device has alone (`families/gbdt/held-rows.ts`). */
export interface HeldTree {
  /** Two f64 of the arena: whole units in one unit of gradient, and of hessian. */
  readonly scales: Pointer;
  /** It learns from the bag that was drawn there; else from all rows. */
  readonly isBag: boolean;
  /** The rows of its leaves come home. */
  readonly wantsRows: boolean;
}

/** A node that may be split. */
interface Offered extends NodeToSplit {
  readonly gain: number;
}

/** The histogram that came with the last split. */
interface Brought {
  readonly first: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

export class TreeDevice implements DeviceCalls {
  readonly #arena: Arena;
  readonly #lane: Lane;
  readonly #words: Int32Array;
  readonly #share: DeviceShare;
  readonly #rowCapacity: number;
  readonly #worth: DeviceWorth;
  readonly #list: Pointer;
  /** Of trees that it grows as a whole; null: the CPU searches their splits. */
  #grown: GrownThere | null;
  #hasBegun = false;
  #rows: Pointer = 0;
  #rowCount = 0;
  #features = "";
  #leastRows = 0;
  #stamp = 0;
  #heldTree: HeldTree | null = null;
  #brought: Brought | null = null;
  /** By the first row of a node. */
  readonly #offers = new Map<number, Offered>();
  /** Nodes that were split before the tree asked for it. */
  readonly #splits = new Map<number, NodeSplit>();
  /** Where rows of nodes lie: 1 is from the most rows of a tree on. */
  readonly #sides = new Map<number, 0 | 1>();

  /**
   * @param words the grower's block
   * @param rowCapacity most rows of a tree
   * @param least nodes of fewer rows never go to the device
   * @param symmetric whether each level of a tree is one way
   * @param list LIST_BYTES of the arena, for what requests tell of nodes
   * @param grown of trees that the device grows as a whole; null: the CPU searches their splits
   */
  constructor(
    arena: Arena,
    share: DeviceShare,
    words: Int32Array,
    rowCapacity: number,
    least: number,
    symmetric: boolean,
    list: Pointer,
    grown: GrownThere | null,
  ) {
    this.#arena = arena;
    this.#lane = share.lane;
    this.#words = words;
    this.#share = share;
    this.#rowCapacity = rowCapacity;
    const leaves = this.#word(layout.MAX_LEAVES);
    const grows = grown !== null ? "trees" : symmetric ? "levels" : "nodes";
    this.#worth = new DeviceWorth(share.lane, least, grows, leaves);
    this.#list = list;
    this.#grown = grown;
  }

  get lane(): Lane {
    return this.#lane;
  }

  /** Whether trees of so many rows and features are worth the ways to the device. */
  takes(rowCount: number, features: number): boolean {
    return this.#worth.takes(rowCount, features);
  }

  /**
   * Brings the next tree's rows and gradients to the device. Returns how many rows a node has at least that is
   * away; 0: none is.
   *
   * @param held where the device has them already; absent: they lie here
   */
  begin(redrawn: boolean, held: HeldTree | null = null): number {
    const features = this.#word(layout.FEATURE_COUNT);
    const rowCount = this.#word(layout.ROW_COUNT);
    const least = this.#grown === null ? this.#worth.leastRows(features) : 1;
    this.#heldTree = held;
    // Of rows that are there already each tree is worth it, whatever its bag has.
    if (!(held ? this.#worth.serves(rowCount, features) : this.takes(rowCount, features))) return 0;
    if (!growAnswer(this.#lane, 8 * this.#word(layout.HISTOGRAM_ENTRIES))) return 0;
    if (!this.#hasBegun && (held !== null || !this.beginFit())) return 0;
    const rows = this.#word(layout.SOURCE_ROWS);
    const isOther = redrawn || rows !== this.#rows || rowCount !== this.#rowCount;
    const list = this.#arena.u32(this.#word(layout.FEATURE_LIST), features).join();
    const entries = this.#word(layout.HISTOGRAM_ENTRIES);
    const isBegun = ask(this.#lane, BEGIN_TREE, [
      held === null ? this.#word(layout.PACKED) : held.scales,
      rows,
      rowCount,
      isOther ? 1 : 0,
      this.#word(layout.FEATURE_LIST),
      this.#word(layout.OFFSETS),
      features,
      entries,
      list === this.#features ? 0 : 1,
      held === null ? AT_HOME : held.isBag ? BAG_HELD : ALL_HELD,
    ]);
    this.#brought = null;
    this.#offers.clear();
    this.#splits.clear();
    this.#sides.clear();
    // A refusal may have left half of it there.
    this.#hasBegun = isBegun;
    if (!isBegun) return 0;
    // Rows of a bag that was drawn there are in the place of those that came from here.
    this.#rows = held === null ? rows : 0;
    this.#rowCount = rowCount;
    this.#features = list;
    this.#leastRows = least;
    if (this.#grown !== null) return this.#growThere(this.#grown, rowCount) ? least : 0;
    return held === null || this.#sumRoot(rowCount) ? least : 0;
  }

  /** Whether it grows trees as a whole. */
  get growsThere(): boolean {
    return this.#grown !== null;
  }

  #growThere(grown: GrownThere, rowCount: number): boolean {
    const root = grown.grow(() => this.#nextStamp());
    if (root !== null) {
      this.#bringRoot(rowCount, root);
      return true;
    }
    // It may have no room for the histograms of a whole tree, and yet for the large nodes of one.
    this.#grown = null;
    return false;
  }

  record(record: number, to: Pointer): boolean {
    return this.#grown?.copyRecord(record, this.#arena.i32(to, RECORD_WORDS)) ?? false;
  }

  /** Of a tree whose gradients are there alone: its root's histogram, which says the sum of all. */
  #sumRoot(rowCount: number): boolean {
    if (!ask(this.#lane, NODE_HISTOGRAM, [0, rowCount])) return false;
    const size = 8 * this.#word(layout.HISTOGRAM_ENTRIES);
    this.#bringRoot(rowCount, new Uint8Array(this.#lane.answer, 0, size).slice());
    return true;
  }

  #bringRoot(count: number, bytes: Uint8Array): void {
    this.#brought = { first: 0, count, bytes };
    const [first] = this.#arena.u32(this.#word(layout.FEATURE_LIST), 1);
    const bins = this.#arena.i32(this.#word(layout.VALUE_BINS), first + 1)[first];
    const sums = new Uint32Array(bytes.buffer, 0, 2 * (bins + 1));
    let [hessian, gradient] = [0, 0];
    for (let i = 0; i < sums.length; i += 2) {
      hessian = (hessian + sums[i]) | 0;
      gradient = (gradient + sums[i + 1]) | 0;
    }
    this.#words.set([hessian, gradient], layout.ROOT_SUM / 4);
  }

  /** Brings the data's bins. Whatever the device had of this fit is gone. */
  beginFit(): boolean {
    this.#hasBegun = true;
    this.#rowCount = 0;
    this.#features = "";
    return ask(this.#lane, BEGIN_FIT, [
      this.#word(layout.ROW_MAJOR),
      this.#word(layout.ROW_STRIDE),
      this.#share.rows,
      this.#rowCapacity,
      this.#share.binsStay ? 1 : 0,
      this.#grown === null ? 0 : this.#word(layout.MAX_LEAVES),
      this.#grown?.hasCategories ? 1 : 0,
    ]);
  }

  distrust(): void {
    distrust(this.#lane);
  }

  histogram(first: number, count: number, to: Pointer): boolean {
    const size = 8 * this.#word(layout.HISTOGRAM_ENTRIES);
    const brought = this.#brought;
    const isBrought = brought?.first === first && brought.count === count;
    if (!isBrought && !ask(this.#lane, NODE_HISTOGRAM, [this.#placeOf(first), count])) return false;
    const bytes = isBrought ? brought.bytes : new Uint8Array(this.#lane.answer, 0, size);
    this.#arena.u8(to, size).set(bytes);
    // What the device lost or counted twice shows there.
    const block = this.#words.byteOffset;
    return kernelsOf(this.#arena).addsUp(block, to) === 1 || this.#distrusted() === 0;
  }

  offer(first: number, count: number, feature: number, table: Pointer, gain: number): void {
    const wantsHistogram = true;
    const bits = this.#bitsOf(table);
    this.#offers.set(first, { first, count, feature, table: bits, wantsHistogram, gain });
  }

  isSplit(first: number): boolean {
    return this.#splits.has(first);
  }

  split(
    first: number,
    count: number,
    feature: number,
    table: Pointer,
    wantsHistogram: boolean,
    others: number,
  ): number {
    this.#offers.delete(first);
    this.#brought = null;
    if (this.#splits.get(first)?.count !== count) {
      const own: NodeToSplit = {
        first,
        count,
        feature,
        table: this.#bitsOf(table),
        wantsHistogram,
      };
      if (!this.#send([own, ...this.#likeliest(others)])) return -1;
    }
    const split = this.#splits.get(first);
    this.#splits.delete(first);
    if (split?.count !== count || split.feature !== feature) return this.#distrusted();
    const { left, histogram, leftRows, rightRows, leftPacked, rightPacked } = split;
    const right = count - left;
    const side = this.#sides.get(first) === 1 ? 0 : 1;
    this.#sides.set(first, side);
    // All rows on one side: behind them begins another node.
    if (left < count) this.#sides.set(first + left, side);
    if (histogram !== null) {
      const isLeft = left <= right;
      this.#brought = {
        first: isLeft ? first : first + left,
        count: isLeft ? left : right,
        bytes: histogram,
      };
    }
    const rows = this.#arena.u32(this.#word(layout.ROWS) + 4 * first, count);
    if (leftRows !== null) rows.set(leftRows);
    if (rightRows !== null) rows.set(rightRows, left);
    this.#keepPacked(leftRows, leftPacked);
    this.#keepPacked(rightRows, rightPacked);
    return left;
  }

  /** Gradients of rows that came home. */
  #keepPacked(rows: Uint32Array | null, packed: Uint32Array | null): void {
    if (rows === null || packed === null) return;
    const all = this.#arena.u32(this.#word(layout.PACKED), 2 * this.#share.rows);
    for (let i = 0; i < rows.length; i++) {
      const to = 2 * rows[i];
      all[to] = packed[2 * i];
      all[to + 1] = packed[2 * i + 1];
    }
  }

  /** Of the nodes that were offered, those that are split with another. They are no offers any more. */
  #likeliest(others: number): NodeToSplit[] {
    const room = Math.min(others, mostSplits(this.#word(layout.ROW_STRIDE)) - 1);
    const chosen = [...this.#offers.values()].sort((a, b) => b.gain - a.gain).slice(0, room);
    for (const { first } of chosen) this.#offers.delete(first);
    return chosen;
  }

  /** Has nodes split and keeps what came of it. */
  #send(nodes: readonly NodeToSplit[]): boolean {
    const least = this.#leastRows;
    const form: SplitForm = {
      least,
      histogramBytes: 8 * this.#word(layout.HISTOGRAM_ENTRIES),
      hasGradients: this.#heldTree !== null,
    };
    const list = this.#arena.u32(this.#list, SPLIT_WORDS * nodes.length);
    nodes.forEach((node, i) => {
      const from = this.#placeOf(node.first);
      const to = node.first + (this.#sides.get(node.first) === 1 ? 0 : this.#rowCapacity);
      writeSplit(list.subarray(i * SPLIT_WORDS, (i + 1) * SPLIT_WORDS), node, from, to, form);
    });
    const due = this.#nextStamp();
    if (!growAnswer(this.#lane, splitAnswerBytes(nodes, form))) return false;
    if (!ask(this.#lane, SPLIT_NODES, [this.#list, nodes.length, least, due])) return false;
    const splits = readSplits(this.#lane.answer, nodes, form, due);
    if (splits === null) return this.#distrusted() === 0;
    nodes.forEach(({ first }, i) => {
      this.#splits.set(first, splits[i]);
    });
    return true;
  }

  leaves(nodes: number): boolean {
    if (this.#heldTree !== null && !this.#heldTree.wantsRows) return true;
    const fields = [layout.OUT_LEFT, layout.OUT_RIGHT, layout.OUT_START, layout.OUT_COUNT];
    const [left, right, starts, counts] = fields.map((field) =>
      this.#arena.i32(this.#word(field), nodes),
    );
    const sides = this.#grown && sidesOf(left, right);
    let pieces: { first: number; count: number }[] = [];
    let total = 0;
    for (let node = 0; node < nodes; node++) {
      if (left[node] >= 0 || counts[node] < this.#leastRows) continue;
      const end = starts[node] + counts[node];
      const place = sides
        ? starts[node] + sides[node] * this.#rowCapacity
        : this.#placeOf(starts[node]);
      for (let first = starts[node]; first < end; ) {
        const count = Math.min(ROWS_A_PIECE - total, end - first);
        pieces.push({ first: place + first - starts[node], count });
        total += count;
        first += count;
        if (total < ROWS_A_PIECE && pieces.length < MOST_RANGES) continue;
        if (!this.#bringRows(pieces)) return false;
        pieces = [];
        total = 0;
      }
    }
    return this.#bringRows(pieces);
  }

  /** @param pieces by the places of their rows */
  #bringRows(pieces: readonly { readonly first: number; readonly count: number }[]): boolean {
    if (pieces.length === 0) return true;
    const list = this.#arena.u32(this.#list, 2 * pieces.length);
    list.set(pieces.flatMap(({ first, count }) => [first, count]));
    const total = pieces.reduce((sum, { count }) => sum + count, 0);
    if (!growAnswer(this.#lane, 4 * total)) return false;
    if (!ask(this.#lane, NODE_ROWS, [this.#list, pieces.length])) return false;
    let at = 0;
    for (const { first, count } of pieces) {
      const row = first % this.#rowCapacity;
      const rows = this.#arena.u32(this.#word(layout.ROWS) + 4 * row, count);
      rows.set(new Uint32Array(this.#lane.answer, at, count));
      at += 4 * count;
    }
    return true;
  }

  /** Where the rows of a node begin on the device. @param first of them */
  #placeOf(first: number): number {
    return first + (this.#sides.get(first) === 1 ? this.#rowCapacity : 0);
  }

  #bitsOf(table: Pointer): number[] {
    const goes = this.#arena.u8(table, 256);
    const bits = new Array<number>(8).fill(0);
    for (let bin = 0; bin < 256; bin++) bits[bin >> 5] |= goes[bin] << (bin & 31);
    return bits;
  }

  /** @returns -1 */
  #distrusted(): number {
    distrust(this.#lane);
    return -1;
  }

  #nextStamp(): number {
    this.#stamp = (this.#stamp + 1) & 0x7fffffff;
    return this.#stamp;
  }

  #word(field: number): number {
    return this.#words[field / 4] >>> 0;
  }
}
