/**
 * Trees of a round's classes side by side, each by one thread. They read the scores that the round begins with, so that it is
 * of no matter who grows which, or when; where they are as many as threads, none waits for another.
 */

import type { Pointer } from "../../compute/arena.ts";
import type { Crew } from "../../compute/crew.ts";
import type { RandomKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import * as layout from "../../kernels/assembly/growing/class-trees-layout.ts";
import type { TreeGrower } from "../../trees/grower.ts";
import type { HistogramPlaces } from "../../trees/histogram-layout.ts";
import type { BoostingState, RowList } from "./row-work.ts";

/**
 * A helper that lost its core amid a tree keeps its leader waiting. After each round that waited longer than a tree of its own
 * takes and so many milliseconds, trees are shared instead: of so many rounds at first, of twice as many each time that it
 * comes again.
 */
const WAIT_MS = 2;
const SHARED_ROUNDS = 2;
const MOST_SHARED_ROUNDS = 64;

/** Bytes of the arena for helpers' growers, all together. */
const SEATS_BYTES = 32 * 2 ** 20;
/** Of a block of rows: two f64. */
const SUM_BYTES = 16;

function roundUp(count: number, multiple: number): number {
  return Math.ceil(count / multiple) * multiple;
}

export interface ClassTreesOptions {
  readonly crew: Crew;
  readonly grower: TreeGrower;
  readonly state: BoostingState;
  /** Of the gradients. */
  readonly task: number;
  readonly train: RowList;
  readonly learningRate: number;
  /** Of splits of sorted categories; 0: not asked for. */
  readonly catNoise: number;
}

/** What the trees of a round are grown from, and what follows them. */
export interface ClassRound {
  readonly learned: RowList;
  readonly followers: RowList;
  keyOf(output: number): RandomKey;
  featuresOf(key: RandomKey): Int32Array;
}

export interface KeptTree {
  readonly nodes: number;
  /** Sets of categories. */
  readonly sets: number;
}

export class ClassTrees {
  readonly #options: ClassTreesOptions;
  readonly #scratch: Scratch;
  readonly #seats: number;
  readonly #seatBytes: number;
  /** See `kernels/assembly/growing/class-trees-layout.ts`. */
  readonly #block: Pointer;
  readonly #units: Pointer;
  /** Features as of the last round, by output. */
  readonly #listed: (Int32Array | null)[];
  readonly #places: HistogramPlaces[] = [];
  #areSeatsThere = false;
  /** Rounds that are shared yet, and how many were after the last wait; 0: it waited for none since. */
  #sharedRounds = 0;
  #penalty = 0;

  constructor(scratch: Scratch, options: ClassTreesOptions) {
    const { crew, grower, state } = options;
    this.#options = options;
    this.#scratch = scratch;
    this.#seatBytes =
      layout.SEAT_HEAD_BYTES + grower.seatBytes + 16 * roundUp(state.rows, 2) + SUM_BYTES;
    const most = Math.floor(SEATS_BYTES / this.#seatBytes);
    this.#seats = Math.min(crew.places, state.outputs - 1, most);
    scratch.reserve(this.#seats * this.#seatBytes);
    this.#block = scratch.allocate(layout.BYTES);
    this.#units = scratch.allocate(state.outputs * layout.UNIT_BYTES);
    this.#listed = new Array(state.outputs).fill(null);
    const { arena } = scratch;
    for (let output = 0; output < state.outputs; output++) {
      const places = grower.histograms.allocate(scratch);
      const words = arena.i32(this.#unitAt(output), layout.UNIT_BYTES / 4);
      words[layout.UNIT_FEATURE_LIST / 4] = places.features;
      words[layout.UNIT_OFFSETS / 4] = places.offsets;
      words[layout.UNIT_COLUMN_LIST / 4] = places.columns;
      words[layout.UNIT_COLUMN_OFFSETS / 4] = places.columnOffsets;
      this.#places.push(places);
      words.set(grower.wordsOf(output), layout.UNIT_OUT / 4);
    }
    const { train, task, learningRate, catNoise } = options;
    const words: Readonly<Record<number, number>> = {
      [layout.GRADIENT_TASK]: task,
      [layout.TRAIN_ROWS]: train.pointer,
      [layout.TRAIN_COUNT]: train.count,
      [layout.SCORES]: state.scores,
      [layout.CLASS_STEP]: state.rows,
      [layout.TARGETS]: state.targets,
      [layout.WEIGHTS]: state.weights,
      [layout.LOG_SUMS]: state.logSums,
      [layout.CLASSES]: state.outputs,
      [layout.SEAT_BYTES]: this.#seatBytes,
      [layout.UNITS]: this.#units,
    };
    const block = arena.u32(this.#block, layout.BYTES / 4);
    for (const [offset, word] of Object.entries(words)) block[Number(offset) / 4] = word;
    const numbers = arena.f64(this.#block, layout.BYTES / 8);
    numbers[layout.CAT_NOISE / 8] = catNoise;
    numbers[layout.LEARNING_RATE / 8] = learningRate;
  }

  /**
   * Offers trees to helpers. False where there are too few of those, or of classes: the trees are then grown one after
   * another, by all.
   */
  begin({ learned, followers, keyOf, featuresOf }: ClassRound): boolean {
    const { crew, grower, state } = this.#options;
    const threads = 1 + Math.min(crew.present, this.#seats);
    // As many for each thread; those that are left over are shared.
    const apart = state.outputs - (state.outputs % threads);
    if (threads === 1 || apart === 0) return false;
    if (this.#sharedRounds > 0) {
      this.#sharedRounds--;
      return false;
    }
    this.#takeSeats();
    const { arena } = this.#scratch;
    const block = arena.u32(this.#block, layout.BYTES / 4);
    block[layout.LEARNED_ROWS / 4] = learned.pointer;
    block[layout.LEARNED_COUNT / 4] = learned.count;
    block[layout.FOLLOWER_ROWS / 4] = followers.pointer;
    block[layout.FOLLOWER_COUNT / 4] = followers.count;
    for (let output = 0; output < state.outputs; output++) {
      const words = arena.i32(this.#unitAt(output), layout.UNIT_BYTES / 4);
      const key = keyOf(output);
      const features = featuresOf(key);
      words[layout.UNIT_KEY_LOW / 4] = key.low;
      words[layout.UNIT_KEY_HIGH / 4] = key.high;
      if (features === this.#listed[output]) continue;
      this.#listed[output] = features;
      const laidOut = grower.histograms.layOut(arena, features, this.#places[output]);
      words[layout.UNIT_FEATURE_COUNT / 4] = features.length;
      words[layout.UNIT_ENTRIES / 4] = laidOut.entries;
      words[layout.UNIT_COLUMN_COUNT / 4] = laidOut.columns;
    }
    crew.offerTrees(apart, this.#block, this.#seats);
    return true;
  }

  /**
   * The outputs whose trees are the caller's to grow, one by one: it is to `keep` each before it asks for the next. Ends when
   * all of the round are grown, or the caller gives it up.
   */
  *own(): Generator<number, void> {
    const { crew, grower, state } = this.#options;
    const begun = performance.now();
    let own = 0;
    try {
      for (;;) {
        const claim = crew.claimTree(state.outputs);
        if (claim === null) return;
        own++;
        grower.select(claim.tree);
        grower.isShared = claim.isLast;
        yield claim.tree;
      }
    } finally {
      grower.isShared = true;
      const others = crew.endTrees() - own;
      const ended = performance.now();
      crew.awaitTrees(others);
      this.#noteWait(performance.now() - ended, (ended - begun) / Math.max(1, own));
    }
  }

  keep(output: number, { nodes, sets }: KeptTree): void {
    const words = this.#scratch.arena.i32(this.#unitAt(output), layout.UNIT_BYTES / 4);
    words[layout.UNIT_NODES / 4] = nodes;
    words[layout.UNIT_SETS / 4] = sets;
  }

  /** Has the grower show a tree of the round; returns its number of nodes. */
  show(output: number): number {
    const { grower } = this.#options;
    const words = this.#scratch.arena.i32(this.#unitAt(output), layout.UNIT_BYTES / 4);
    grower.select(output);
    grower.setCount = words[layout.UNIT_SETS / 4];
    return words[layout.UNIT_NODES / 4];
  }

  /** @param tree milliseconds that one of the leader's took */
  #noteWait(waited: number, tree: number): void {
    if (waited <= tree + WAIT_MS) {
      this.#penalty = 0;
      return;
    }
    this.#penalty = Math.min(MOST_SHARED_ROUNDS, 2 * this.#penalty || SHARED_ROUNDS);
    this.#sharedRounds = this.#penalty;
  }

  #unitAt(output: number): Pointer {
    return this.#units + output * layout.UNIT_BYTES;
  }

  #takeSeats(): void {
    if (this.#areSeatsThere) return;
    this.#areSeatsThere = true;
    const { arena } = this.#scratch;
    const { grower, state } = this.#options;
    const seats = this.#scratch.takeReserved(this.#seats * this.#seatBytes);
    arena.u32(this.#block, layout.BYTES / 4)[layout.SEATS / 4] = seats;
    for (let i = 0; i < this.#seats; i++) {
      const seat = seats + i * this.#seatBytes;
      const sums = seat + layout.SEAT_HEAD_BYTES;
      const gradients = sums + SUM_BYTES;
      const packed = gradients + 8 * roundUp(state.rows, 2);
      grower.writeSeat(seat, packed + 8 * roundUp(state.rows, 2), packed);
      const words = arena.u32(seat, layout.SEAT_HEAD_BYTES / 4);
      words[layout.SEAT_GRADIENTS / 4] = gradients;
      words[layout.SEAT_SUMS / 4] = sums;
    }
  }
}
