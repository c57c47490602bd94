/**
 * The trees of a forest, one after another by one thread, or as many at once as threads are there.
 *
 * The thread of the fit, its leader, begins trees in their order and lets some wait for helpers, who take the
 * first that waits; so does it. A helper that is called away leaves its tree as it is, to wait again. Where a
 * device grows trees, the leader serves that and leaves the others to helpers; what it does not bring is begun anew.
 */

import type { Crew } from "../../compute/crew.ts";
import type { RandomKey } from "../../compute/random.ts";
import { EMPTY, GROWN, WAITING } from "../../kernels/assembly/forests/layout.ts";
import type { ForestDevice } from "./forest-device.ts";
import type { GrownForestTree, TreeSlots } from "./tree-slots.ts";

export interface TreeRequest {
  /** Trees of the forest. */
  readonly trees: number;
  keyOf(tree: number): RandomKey;
  /** Asked before each tree, in their order: false ends the forest. */
  mayGrow(): boolean;
  /** Asked while a tree waits: whether the last one is to be given up, for good. */
  givesUp(): boolean;
  /** Takes what has been grown, in any order. */
  take(tree: number, grown: GrownForestTree): void;
  /** Grows trees as well. Absent: threads alone do. */
  readonly device?: ForestDevice | null;
}

/** Trees that are begun for each helper: one that it grows, and one for it to go on with. */
const TREES_OF_HELPER = 2;

/** Returns how many trees the forest has: those before that number have all been taken. */
export function growTrees(slots: TreeSlots, crew: Crew, request: TreeRequest): number {
  return new TreeLeader(slots, crew, request).grow();
}

class TreeLeader {
  readonly #slots: TreeSlots;
  readonly #crew: Crew;
  readonly #request: TreeRequest;
  /** The trees before this number are, or will be, the forest. */
  #begun = 0;
  #mayBegin = true;
  /** The slot of the tree that this thread grows. */
  #own: number | null = null;
  /** While it is there the first slot is for it. */
  #device: ForestDevice | null;
  /** Trees that a device did not bring, in their order. */
  #again: number[] = [];

  constructor(slots: TreeSlots, crew: Crew, request: TreeRequest) {
    this.#device = request.device ?? null;
    this.#slots = slots;
    this.#crew = crew;
    this.#request = request;
  }

  grow(): number {
    const crew = this.#crew;
    for (;;) {
      const done = crew.unitsDone;
      this.#takeGrown();
      this.#giveUp();
      this.#beginTrees();
      if (this.#serveDevice()) continue;
      this.#own ??= this.#takeWaiting();
      if (this.#own !== null) {
        this.#slots.grow(this.#own);
        if (this.#slots.state(this.#own) === GROWN) this.#own = null;
      } else if (!this.#isBusy()) return this.#begun;
      else if (this.#find(WAITING) === null) crew.awaitUnit(done);
    }
  }

  /** Whether a tree of the forest has not been taken yet; nobody but this thread empties slots. */
  #isBusy(): boolean {
    if (this.#again.length > 0) return true;
    for (let slot = this.#firstSlot; slot < this.#slots.count; slot++) {
      if (this.#slots.state(slot) !== EMPTY && this.#slots.number(slot) < this.#begun) return true;
    }
    return false;
  }

  /** Of those for trees of threads. */
  get #firstSlot(): number {
    return this.#device === null ? 0 : 1;
  }

  #takeGrown(): void {
    for (let slot = this.#firstSlot; slot < this.#slots.count; slot++) {
      if (this.#slots.state(slot) !== GROWN) continue;
      const tree = this.#slots.number(slot);
      if (tree < this.#begun) this.#request.take(tree, this.#slots.read(slot));
      this.#slots.clear(slot);
    }
  }

  /** Where the time is over, trees that nobody works on are given up, and those behind them. */
  #giveUp(): void {
    const first = this.#find(WAITING);
    const tree = Math.min(
      first === null ? Number.POSITIVE_INFINITY : this.#slots.number(first),
      ...this.#again,
      ...(this.#device?.trees ?? []),
    );
    if (tree === Number.POSITIVE_INFINITY) return;
    while (this.#begun > tree && this.#request.givesUp()) {
      this.#begun--;
      this.#mayBegin = false;
    }
    if (this.#mayBegin) return;
    this.#again = this.#again.filter((each) => each < this.#begun);
    for (let slot = this.#firstSlot; slot < this.#slots.count; slot++) {
      if (this.#slots.number(slot) < this.#begun) continue;
      const isOwn = slot === this.#own;
      if (!isOwn && !this.#slots.take(slot)) continue;
      this.#slots.clear(slot);
      if (isOwn) this.#own = null;
    }
  }

  #beginTrees(): void {
    const { count } = this.#slots;
    const wanted = Math.min(this.#slots.most, 1 + TREES_OF_HELPER * this.#crew.present);
    let busy = 0;
    for (let slot = 0; slot < count; slot++) if (this.#slots.state(slot) !== EMPTY) busy++;
    let isNews = false;
    for (; busy < wanted; busy++) {
      if (this.#again.length === 0 && !this.#mayBegin) break;
      const slot = this.#find(EMPTY) ?? this.#slots.add();
      if (slot === null) break;
      const tree = this.#again.shift() ?? this.#nextTree();
      if (tree === null) break;
      this.#slots.begin(slot, tree, this.#request.keyOf(tree));
      isNews = true;
    }
    if (!isNews) return;
    this.#crew.throwIfLost();
    this.#crew.announce();
  }

  /** Null where the forest has all trees. */
  #nextTree(): number | null {
    this.#mayBegin &&= this.#begun < this.#request.trees && this.#request.mayGrow();
    return this.#mayBegin ? this.#begun++ : null;
  }

  /** Returns whether there is more for the device to do, or all that it had is to be done without it. */
  #serveDevice(): boolean {
    const device = this.#device;
    if (device === null) return false;
    if (device.trees.length === 0 && !this.#sendTrees(device)) return this.#device === null;
    // All that are there were given up.
    if (device.trees.every((tree) => tree >= this.#begun)) {
      device.drop();
      return true;
    }
    const isGrown = device.advance();
    if (isGrown === false) return true;
    const isBrought =
      isGrown !== null &&
      device.finish((tree, grown) => {
        if (tree < this.#begun) this.#request.take(tree, grown);
      });
    if (!isBrought) this.#leaveDevice(device);
    return true;
  }

  /** Returns whether any were sent. */
  #sendTrees(device: ForestDevice): boolean {
    if (!this.#mayBegin || this.#begun >= this.#request.trees) return false;
    const room = device.makeRoom(this.#request.trees - this.#begun);
    for (let i = 0; i < room; i++) {
      const tree = this.#nextTree();
      if (tree === null) break;
      if (device.begin(tree, this.#request.keyOf(tree))) continue;
      this.#again.push(tree);
      break;
    }
    if (room > 0 && device.trees.length > 0 && this.#again.length === 0) return true;
    if (room === 0 || this.#again.length > 0) this.#leaveDevice(device);
    return false;
  }

  /** Threads grow what it has not brought. */
  #leaveDevice(device: ForestDevice): void {
    this.#again = [...device.drop(), ...this.#again].filter((tree) => tree < this.#begun);
    this.#device = null;
    this.#slots.clear(0);
  }

  #takeWaiting(): number | null {
    const slot = this.#find(WAITING);
    return slot !== null && this.#slots.take(slot) ? slot : null;
  }

  /** Of the slots in a state, the one with the first tree; but for those of trees that are given up. */
  #find(state: number): number | null {
    let best: number | null = null;
    for (let slot = this.#firstSlot; slot < this.#slots.count; slot++) {
      if (this.#slots.state(slot) !== state) continue;
      const tree = this.#slots.number(slot);
      if (state !== EMPTY && tree >= this.#begun) continue;
      if (best === null || tree < this.#slots.number(best)) best = slot;
    }
    return best;
  }
}
