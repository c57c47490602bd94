/**
 * A fit's side of growing trees of a forest on a device, side by side. A tree's rows are drawn here and sent there;
 * what comes back is looked at before anybody believes it (`grown-answer.ts`).
 */

import {
  BEGIN_FOREST,
  FOREST_TREE,
  GROW_FOREST,
  READ_TREE,
} from "../../compute/gpu/forest-requests.ts";
import { ask, distrust, growAnswer, isOpen, type Lane } from "../../compute/gpu/lane.ts";
import type { RandomKey } from "../../compute/random.ts";
import * as layout from "../../kernels/assembly/forests/layout.ts";
import {
  FOREST_NODE_WORDS,
  HEAD_NODES,
  HEAD_ROWS,
  HEAD_STAMP,
  HEAD_STATUS,
  TREE_DONE,
  TREE_HEAD_WORDS,
} from "../../shaders/forest-form.ts";
import { type AnsweredTree, fillSlot, isSound, type RootOfTree, rootOf } from "./grown-answer.ts";
import { copyOf, type GrownForestTree, type TreeSlots } from "./tree-slots.ts";

/** Of one fit. */
export interface ForestShare {
  readonly lane: Lane;
  /** The bins stay as they are while their arena is there. */
  readonly binsStay: boolean;
  /** The device may take longer than one thread would. */
  readonly mayLag?: boolean;
}

/** Cells that a tree looks at in the first request; then as many more as are answered in time. */
const FIRST_CELLS = 2 ** 16;
const MOST_CELLS = 2 ** 30;
const SHORT_MS = 50;
const LONG_MS = 200;
/** Before it is asked whether one thread would have been sooner. */
const GRACE_MS = 2000;
/** All trees of a forest have so many times the cells that make a node worth the way, or more. */
const LEAST_TIMES = 16;
/** Sums of a bin at most: more classes than these are not for the device. */
const MOST_WIDTH = 256;

/** A tree that grows there. */
interface Begun {
  readonly tree: number;
  readonly key: RandomKey;
  /** As the CPU found it. */
  readonly root: RootOfTree;
  /** As the CPU has grown it: of the first, and of those that are no more than a leaf. */
  readonly known: GrownForestTree | null;
}

export class ForestDevice {
  readonly #lane: Lane;
  readonly #share: ForestShare;
  readonly #slots: TreeSlots;
  #begun: Begun[] = [];
  /** Milliseconds that it took, and when the device began. */
  #took = 0;
  #since = 0;
  #cells = FIRST_CELLS;
  #stamp = 0;
  #room = 0;

  /** @param slots the first of which is for the device alone while it grows trees */
  constructor(share: ForestShare, slots: TreeSlots) {
    this.#lane = share.lane;
    this.#share = share;
    this.#slots = slots;
    slots.hold(0);
  }

  /** Whether a forest of so many cells (rows × features × trees) is worth the way. */
  static takes({ lane }: ForestShare, cells: number, slots: TreeSlots): boolean {
    const { width } = slots.form;
    const isWorth = !lane.isSoftware && cells >= LEAST_TIMES * lane.leastCells;
    return width <= MOST_WIDTH && isOpen(lane) && isWorth;
  }

  /** Trees that grow there. */
  get trees(): readonly number[] {
    return this.#begun.map(({ tree }) => tree);
  }

  /** Makes room for so many trees side by side, or fewer. Returns how many; 0: the device has none. */
  makeRoom(trees: number): number {
    const { common, form } = this.#slots;
    const gain = new Uint32Array(Float64Array.of(form.leastGain).buffer);
    const isMade =
      growAnswer(this.#lane, 4) &&
      ask(this.#lane, BEGIN_FOREST, [
        common[layout.COLUMN_MAJOR],
        common[layout.COLUMN_STRIDE],
        common[layout.FEATURES],
        common[layout.VALUE_BINS],
        common[layout.KINDS],
        common[layout.WIDTH],
        common[layout.CLASSES] > 0 ? 1 : 0,
        trees,
        form.entries,
        common[layout.NODE_FEATURES],
        common[layout.MAX_LEAVES],
        common[layout.MAX_DEPTH],
        common[layout.MIN_LEAF],
        common[layout.BEST_FIRST],
        common[layout.RANDOM_CUTS],
        ...gain,
        this.#share.binsStay ? 1 : 0,
      ]);
    const [room] = isMade ? new Uint32Array(this.#lane.answer, 0, 1) : [0];
    this.#room = Math.min(room, trees);
    return this.#room;
  }

  /** Draws the rows of a tree and sends them. False where the device refuses it. */
  begin(tree: number, key: RandomKey): boolean {
    const slots = this.#slots;
    if (this.#begun.length >= this.#room) return false;
    const begun = performance.now();
    slots.beginHeld(0, tree, key);
    slots.look(0);
    const words = slots.words(0);
    const low = words[layout.KEY_LOW / 4];
    const high = words[layout.KEY_HIGH / 4];
    const isSent = ask(this.#lane, FOREST_TREE, [
      this.#begun.length,
      words[layout.ROWS / 4],
      words[layout.STATS / 4],
      words[layout.ROW_COUNT / 4],
      low,
      high,
    ]);
    if (!isSent) return false;
    slots.look(0);
    const root = rootOf(slots);
    const isFirst = this.#begun.length === 0;
    while (isFirst && slots.state(0) !== layout.GROWN) slots.grow(0);
    const known = slots.state(0) === layout.GROWN ? copyOf(slots.read(0)) : null;
    this.#begun.push({ tree, key, root, known });
    if (isFirst) {
      this.#since = performance.now();
      this.#took = this.#since - begun;
    }
    return true;
  }

  /** Lets go of what grows there. Returns its trees. */
  drop(): readonly number[] {
    const trees = this.trees;
    this.#begun = [];
    return trees;
  }

  /**
   * Goes on with the trees there for a while.
   *
   * @returns whether they are all grown; null where the device does no more, or a thread is sooner
   */
  advance(): boolean | null {
    const count = this.#begun.length;
    this.#stamp = (this.#stamp + 1) & 0x7fffffff;
    if (!growAnswer(this.#lane, 4 * TREE_HEAD_WORDS * count)) return null;
    const begun = performance.now();
    if (!ask(this.#lane, GROW_FOREST, [count, this.#cells, this.#stamp])) return null;
    const now = performance.now();
    const took = now - begun;
    const most = Math.max(GRACE_MS, count * this.#took);
    if (this.#share.mayLag !== true && now - this.#since > most) return null;
    if (took < SHORT_MS) this.#cells = Math.min(MOST_CELLS, 2 * this.#cells);
    else if (took > LONG_MS) this.#cells = Math.max(1, this.#cells >> 1);
    let isDone = true;
    for (let i = 0; i < count; i++) {
      const head = this.#headOf(i);
      if (head[HEAD_STAMP] !== this.#stamp) return this.#distrusted();
      if (head[HEAD_STATUS] !== TREE_DONE) isDone = false;
    }
    return isDone;
  }

  /**
   * Reads all trees, which are grown, and lets go of them.
   *
   * @returns false where one of them is not right; then `drop` says which have to be grown anew
   */
  finish(take: (tree: number, grown: GrownForestTree) => void): boolean {
    const slots = this.#slots;
    const counts = this.#begun.map((_, i) => this.#headOf(i)[HEAD_NODES]);
    for (const [i, { tree, key, root, known }] of [...this.#begun.entries()]) {
      const answered = this.#read(i, counts[i]);
      if (answered === null) return false;
      slots.beginHeld(0, tree, key);
      if (!isSound(slots, answered, root)) return this.#distrusted() !== null;
      fillSlot(slots, answered, root);
      slots.grow(0);
      const grown = slots.read(0);
      if (known !== null && !isSame(known, grown)) return this.#distrusted() !== null;
      take(tree, grown);
      this.#begun.shift();
    }
    return true;
  }

  #headOf(i: number): Uint32Array {
    return new Uint32Array(this.#lane.answer, 4 * TREE_HEAD_WORDS * i, TREE_HEAD_WORDS);
  }

  #read(i: number, count: number): AnsweredTree | null {
    const { maxNodes, width } = this.#slots.form;
    if (count < 1 || count > maxNodes) {
      this.#distrusted();
      return null;
    }
    const nodeAt = 4 * TREE_HEAD_WORDS;
    const sumsAt = nodeAt + 4 * FOREST_NODE_WORDS * count;
    if (!growAnswer(this.#lane, sumsAt + 8 * width * count)) return null;
    if (!ask(this.#lane, READ_TREE, [i, count])) return null;
    const { answer } = this.#lane;
    const head = new Uint32Array(answer, 0, TREE_HEAD_WORDS).slice();
    if (head[HEAD_STAMP] !== this.#stamp || head[HEAD_NODES] !== count) {
      this.#distrusted();
      return null;
    }
    return {
      head,
      rows: head[HEAD_ROWS],
      count,
      nodes: new Uint32Array(answer, nodeAt, FOREST_NODE_WORDS * count),
      gains: new Float64Array(answer.slice(nodeAt, sumsAt)),
      sums: new Float64Array(answer, sumsAt, width * count),
    };
  }

  /** @returns null */
  #distrusted(): null {
    distrust(this.#lane);
    return null;
  }
}

/** Whether two grown trees are equal, byte for byte. */
function isSame(one: GrownForestTree, other: GrownForestTree): boolean {
  if (one.nodes !== other.nodes) return false;
  const bytes = ({ nodes: _, ...arrays }: GrownForestTree): readonly Buffer[] =>
    Object.values(arrays).map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    );
  const others = bytes(other);
  return bytes(one).every((each, i) => each.equals(others[i]));
}
