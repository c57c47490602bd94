/**
 * The trees of a forest, one after another by one thread, or as many at once as threads are there.
 *
 * The thread of the fit, its leader, begins trees in their order and lets some wait for helpers, who take the
 * first that waits; so does it. A helper that is called away leaves its tree as it is, to wait again.
 */

import type { Crew } from "../../compute/crew.ts";
import type { RandomKey } from "../../compute/random.ts";
import { EMPTY, GROWN, WAITING } from "../../kernels/assembly/forest-layout.ts";
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

  constructor(slots: TreeSlots, crew: Crew, request: TreeRequest) {
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
    for (let slot = 0; slot < this.#slots.count; slot++) {
      if (this.#slots.state(slot) !== EMPTY && this.#slots.number(slot) < this.#begun) return true;
    }
    return false;
  }

  #takeGrown(): void {
    for (let slot = 0; slot < this.#slots.count; slot++) {
      if (this.#slots.state(slot) !== GROWN) continue;
      const tree = this.#slots.number(slot);
      if (tree < this.#begun) this.#request.take(tree, this.#slots.read(slot));
      this.#slots.clear(slot);
    }
  }

  /** Where the time is over, trees that nobody works on are given up, and those behind them. */
  #giveUp(): void {
    const first = this.#find(WAITING);
    if (first === null) return;
    const tree = this.#slots.number(first);
    while (this.#begun > tree && this.#request.givesUp()) {
      this.#begun--;
      this.#mayBegin = false;
    }
    if (this.#mayBegin) return;
    for (let slot = 0; slot < this.#slots.count; slot++) {
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
    for (; this.#mayBegin && busy < wanted; busy++) {
      const slot = this.#find(EMPTY) ?? this.#slots.add();
      if (slot === null) break;
      this.#mayBegin = this.#begun < this.#request.trees && this.#request.mayGrow();
      if (!this.#mayBegin) break;
      const tree = this.#begun++;
      this.#slots.begin(slot, tree, this.#request.keyOf(tree));
      isNews = true;
    }
    if (!isNews) return;
    this.#crew.throwIfLost();
    this.#crew.announce();
  }

  #takeWaiting(): number | null {
    const slot = this.#find(WAITING);
    return slot !== null && this.#slots.take(slot) ? slot : null;
  }

  /** Of the slots in a state, the one with the first tree; but for those of trees that are given up. */
  #find(state: number): number | null {
    let best: number | null = null;
    for (let slot = 0; slot < this.#slots.count; slot++) {
      if (this.#slots.state(slot) !== state) continue;
      const tree = this.#slots.number(slot);
      if (state !== EMPTY && tree >= this.#begun) continue;
      if (best === null || tree < this.#slots.number(best)) best = slot;
    }
    return best;
  }
}
