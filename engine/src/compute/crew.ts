/**
 * Threads that share the work of one fit; `docs/decisions/parallel-fits.md` says why so.
 *
 * A fit that is large enough opens its desk (`crew-desk.ts`) and goes on alone; whoever comes helps,
 * kernel call by kernel call, until the fit ends or the helper is called away. What is computed does not
 * depend on who came.
 */

import * as layout from "../kernels/assembly/crew/crew-layout.ts";
import { Arena, type ArenaHandle, type Pointer } from "./arena.ts";
import {
  awaitCrew,
  type CrewDesk,
  closeDesk,
  enterDesk,
  isToLeave,
  leaveDesk,
  MOST_HELPERS,
  openDesk,
  throwIfLost,
} from "./crew-desk.ts";
import { kernelsOf } from "./kernels.ts";
import type { Scratch } from "./scratch.ts";

/** Units of work after which a helper looks whether it is called away. */
const UNITS_A_LOOK = 64;
/** Waits are cut into pieces: to be called away does not end one. */
const MOMENT_MS = 10;

/** The leader's side: the block in the arena, for the length of one fit. */
export class Crew {
  readonly arena: Arena;
  /** See `kernels/assembly/crew/crew-layout.ts`. */
  readonly block: Pointer;
  /** Helpers at most. A function of the data alone, since memory is reserved for each. */
  readonly places: number;
  readonly #desk: CrewDesk | null;

  /** @param desk null: nobody will help */
  constructor(scratch: Scratch, places: number, desk: CrewDesk | null) {
    this.arena = scratch.arena;
    this.places = Math.min(places, MOST_HELPERS);
    this.block = scratch.allocate(layout.BYTES);
    this.#desk = this.places > 0 ? desk : null;
    this.arena.u8(this.block, layout.BYTES).fill(0);
  }

  /** What helpers do from when they come; where it is not job by job. Before `lead`. */
  setTask(task: number, block: Pointer): void {
    const words = this.#words;
    words[layout.TASK / 4] = task;
    words[layout.GROWER / 4] = block;
  }

  /** Helpers that are there now. */
  get present(): number {
    return this.#desk === null ? 0 : Atomics.load(this.#words, layout.PRESENT / 4);
  }

  /** Units that helpers have finished so far. */
  get unitsDone(): number {
    return Atomics.load(this.#words, layout.DONE / 4);
  }

  /** Has helpers look for work. */
  announce(): void {
    if (this.#desk === null) return;
    const words = this.#words;
    Atomics.add(words, layout.JOB / 4, 1);
    if (Atomics.load(words, layout.SLEEPING / 4) > 0) Atomics.notify(words, layout.JOB / 4);
  }

  /** @throws HelperLostError */
  throwIfLost(): void {
    if (this.#desk !== null) throwIfLost(this.#desk);
  }

  /**
   * Waits a moment until helpers have finished more units than `done`.
   *
   * @throws HelperLostError
   */
  awaitUnit(done: number): void {
    awaitCrew(this.arena, this.block, done + 1);
  }

  /**
   * Has helpers grow trees of a round side by side.
   *
   * @param most of the trees, from the first, that they may begin
   * @param fit the block of `kernels/assembly/growing/class-trees-layout.ts` @param seats helpers that there is memory for
   */
  offerTrees(most: number, fit: Pointer, seats: number): void {
    const words = this.#words;
    words[layout.TREES / 4] = fit;
    words[layout.TREE_SEATS / 4] = seats;
    Atomics.store(words, layout.TREES_DONE / 4, 0);
    Atomics.store(words, layout.TREE_CLAIM / 4, most << 16);
    this.announce();
  }

  /** Of the leader: the next of `count` trees that nobody has begun, and whether helpers may begin any other; null: none. */
  claimTree(count: number): { readonly tree: number; readonly isLast: boolean } | null {
    const words = this.#words;
    for (;;) {
      const word = Atomics.load(words, layout.TREE_CLAIM / 4);
      const tree = word & 0xffff;
      if (tree >= count) return null;
      const found = Atomics.compareExchange(words, layout.TREE_CLAIM / 4, word, word + 1);
      if (found === word) return { tree, isLast: tree + 1 >= word >> 16 };
    }
  }

  /** No more trees are begun; returns how many were. */
  endTrees(): number {
    return Atomics.exchange(this.#words, layout.TREE_CLAIM / 4, 0) & 0xffff;
  }

  /**
   * Waits until helpers have grown so many trees.
   *
   * @throws HelperLostError
   */
  awaitTrees(count: number): void {
    const words = this.#words;
    while (Atomics.load(words, layout.TREES_DONE / 4) < count) {
      awaitCrew(this.arena, this.block, count, layout.TREES_DONE);
    }
  }

  get #words(): Int32Array {
    return this.arena.i32(this.block, layout.BYTES / 4);
  }

  /** Runs work that helpers may join, and waits until they have left. */
  lead<T>(work: () => T): T {
    const desk = this.#desk;
    if (desk === null) return work();
    this.#words[layout.SHARED_SINCE / 4] = performance.now();
    openDesk(desk, this.block, this.places);
    try {
      return work();
    } finally {
      closeDesk(desk, this.#words);
    }
  }
}

/** What a pool thread is told that helps a fit. */
export interface HelpInput {
  /** Where the fit works. */
  readonly arena: ArenaHandle;
  readonly desk: CrewDesk;
  /** From 1; no two helpers of a fit share one. */
  readonly place: number;
}

/** Helps a fit until it has ended or the helper is called away. */
export function help({ arena, desk, place }: HelpInput): void {
  const block = enterDesk(desk, place);
  if (block === null) return;
  const words = Arena.attach(arena).i32(block, layout.BYTES / 4);
  const kernels = kernelsOf(arena);
  let worked = 0;
  Atomics.add(words, layout.PRESENT / 4, 1);
  while (!isToLeave(desk, place)) {
    const job = Atomics.load(words, layout.JOB / 4);
    const begun = performance.now();
    const units = kernels.helpCrew(block, place, UNITS_A_LOOK);
    if (units > 0) worked += performance.now() - begun;
    if (units === UNITS_A_LOOK) continue;
    Atomics.add(words, layout.SLEEPING / 4, 1);
    // Where a job was opened since `job` was read, this returns at once.
    Atomics.wait(words, layout.JOB / 4, job, MOMENT_MS);
    Atomics.sub(words, layout.SLEEPING / 4, 1);
  }
  kernels.leaveCrew(block, place);
  Atomics.sub(words, layout.PRESENT / 4, 1);
  leaveDesk(desk, place, worked / 1000);
}
