/**
 * Binning that idle threads share, of the thread that reads the columns: it hands numeric ones over while others
 * are there, and bins itself what they have no room for (`docs/decisions/parallel-fits.md`).
 */

import { ArenaFullError, type Pointer } from "../../compute/arena.ts";
import {
  type CrewDesk,
  closeDesk,
  MOST_HELPERS,
  noteWaiting,
  openDesk,
  throwIfLost,
} from "../../compute/crew-desk.ts";
import { Scratch } from "../../compute/scratch.ts";
import * as layout from "./binning-desk.ts";
import type { ColumnSharing, ShareColumns, SharedColumns } from "./column-sharing.ts";
import { MAX_BINS, MIN_DATA_IN_BIN } from "./fit-binning.ts";

/** Cells (rows × features) below which it takes some milliseconds. */
const LEAST_CELLS = 2 ** 20;
/** Bytes of columns that wait, and how many at most. */
const SLOT_BYTES = 64 * 2 ** 20;
const MOST_SLOTS = 2 * MOST_HELPERS;
/** Columns that wait or are binned, for each helper that is there. */
const COLUMNS_A_HELPER = 2;
/** Waits are cut into pieces, since whoever would end one may itself have ended. */
const MOMENT_MS = 10;

/** @param least cells from which on a table's binning is shared; of no matter for its bins */
export function shareColumns(desk: CrewDesk, least = LEAST_CELLS): ShareColumns {
  return (arena, columns) => {
    const { rows, values, bins } = columns;
    const room = values === null ? Math.floor(SLOT_BYTES / (8 * Math.max(1, rows))) : MOST_SLOTS;
    if (rows * bins.length < least || room < 1) return null;
    return new SharedBinning(new Scratch(arena), desk, columns, Math.min(MOST_SLOTS, room));
  };
}

class SharedBinning implements ColumnSharing {
  readonly #scratch: Scratch;
  readonly #desk: CrewDesk;
  readonly #columns: SharedColumns;
  readonly #words: Int32Array;
  /** Where the values of each slot go, once it was used. */
  readonly #rooms: Pointer[] = [];

  constructor(scratch: Scratch, desk: CrewDesk, columns: SharedColumns, slots: number) {
    const { rows, binned, fit, sample, bins } = columns;
    const { arena } = scratch;
    this.#scratch = scratch;
    this.#desk = desk;
    this.#columns = columns;
    const length = layout.wordsFor(slots);
    const block = scratch.allocate(4 * length);
    const edges = scratch.allocate(8 * layout.MOST_EDGES * slots);
    const sampled = sample === null ? 0 : scratch.u32(sample);
    // Only now: the arena may have grown, and old views would end too early.
    const words = arena.i32(block, length).fill(0);
    this.#words = words;
    words[layout.ROWS] = rows;
    words[layout.FITTED_ROWS] = fit?.rows ?? 0;
    words[layout.SAMPLE] = sampled;
    words[layout.SAMPLED] = sample?.length ?? 0;
    words[layout.MAX_BINS] = fit?.maxBins ?? MAX_BINS;
    words[layout.MIN_DATA] = fit?.minDataInBin ?? MIN_DATA_IN_BIN;
    words[layout.FEATURES] = bins.length;
    words[layout.COLUMN_MAJOR] = binned.columnMajor;
    words[layout.COLUMN_STRIDE] = binned.columnStride;
    words[layout.ROW_MAJOR] = binned.rowMajor ?? 0;
    words[layout.ROW_STRIDE] = binned.rowStride;
    words[layout.SLOTS] = slots;
    for (let slot = 0; slot < slots; slot++) {
      words[layout.slotAt(slot) + layout.EDGES] = edges + 8 * layout.MOST_EDGES * slot;
    }
    openDesk(desk, block, MOST_HELPERS);
  }

  take(index: number, values: Float64Array): boolean {
    const words = this.#words;
    const helpers = Atomics.load(words, layout.PRESENT);
    if (helpers === 0 || this.#collect() >= COLUMNS_A_HELPER * helpers) return false;
    const slot = this.#emptySlot();
    const room = slot < 0 ? null : this.#roomOf(slot, index, values);
    if (room === null) return false;
    const at = layout.slotAt(slot);
    const { arena } = this.#scratch;
    words[at + layout.COLUMN] = index;
    words[at + layout.VALUES] = room;
    words[at + layout.EDGE_COUNT] = 0;
    if (this.#columns.fit === null) {
      const { edges } = this.#columns.bins[index];
      arena.f64(words[at + layout.EDGES], edges.length).set(edges);
      words[at + layout.EDGE_COUNT] = edges.length;
      words[at + layout.GIVEN] = 1;
    }
    Atomics.store(words, at + layout.STATE, layout.FILLED);
    this.#announce();
    return true;
  }

  finish(): void {
    const words = this.#words;
    const { arena } = this.#scratch;
    layout.binColumns(arena, words);
    this.#awaitWhile(() => this.#collect() > 0);
    const { rows, binned } = this.#columns;
    if (binned.rowMajor === null) return;
    const ranges = Math.ceil(rows / layout.RANGE_ROWS);
    Atomics.store(words, layout.RANGES, ranges);
    this.#announce();
    while (layout.layOutRange(arena, words));
    this.#awaitWhile(() => Atomics.load(words, layout.RANGES_DONE) < ranges);
  }

  end(): void {
    closeDesk(this.#desk, this.#words);
    this.#scratch.release();
  }

  #announce(): void {
    Atomics.add(this.#words, layout.CHANGES, 1);
    Atomics.notify(this.#words, layout.CHANGES);
  }

  /** Takes over what bins were fitted. Returns how many columns are not yet binned. */
  #collect(): number {
    const words = this.#words;
    const { bins, fit } = this.#columns;
    let missing = 0;
    for (let slot = 0; slot < words[layout.SLOTS]; slot++) {
      const at = layout.slotAt(slot);
      const state = Atomics.load(words, at + layout.STATE);
      if (state === layout.FILLED || state === layout.BEGUN) missing++;
      if (state !== layout.BINNED) continue;
      if (fit !== null) {
        const count = words[at + layout.EDGE_COUNT];
        const edges = this.#scratch.arena.f64(words[at + layout.EDGES], count).slice();
        bins[words[at + layout.COLUMN]] = { kind: "numeric", valueBins: count + 1, edges };
      }
      Atomics.store(words, at + layout.STATE, layout.EMPTY);
    }
    return missing;
  }

  #emptySlot(): number {
    const words = this.#words;
    for (let slot = 0; slot < words[layout.SLOTS]; slot++) {
      if (Atomics.load(words, layout.slotAt(slot) + layout.STATE) === layout.EMPTY) return slot;
    }
    return -1;
  }

  /** Where the values lie for as long as they are needed; null: there is no room. */
  #roomOf(slot: number, index: number, values: Float64Array): Pointer | null {
    const { rows, values: kept } = this.#columns;
    if (kept !== null) return kept + 8 * rows * index;
    const { arena } = this.#scratch;
    try {
      this.#rooms[slot] ??= this.#scratch.allocate(8 * rows);
    } catch (fault) {
      if (fault instanceof ArenaFullError) return null;
      throw fault;
    }
    arena.f64(this.#rooms[slot], rows).set(values);
    return this.#rooms[slot];
  }

  /** @throws HelperLostError */
  #awaitWhile(isMissing: () => boolean): void {
    const words = this.#words;
    for (;;) {
      const done = Atomics.load(words, layout.DONE);
      if (!isMissing()) return;
      const begun = performance.now();
      Atomics.wait(words, layout.DONE, done, MOMENT_MS);
      noteWaiting(this.#desk, performance.now() - begun);
      throwIfLost(this.#desk);
    }
  }
}
