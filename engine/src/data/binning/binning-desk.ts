/**
 * Where threads that bin columns beside the one that reads them meet: a block of shared memory with slots for
 * columns and, at the end, ranges of rows whose bins are laid out by row.
 *
 * A column is binned alone, by whoever takes it, so that its bins are the same whoever that is.
 */

import { Arena, type Pointer } from "../../compute/arena.ts";
import type { HelpInput } from "../../compute/crew.ts";
import { enterDesk, isToLeave, leaveDesk } from "../../compute/crew-desk.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { ColumnBinner } from "./column-binner.ts";

// i32 words. Helpers wait on CHANGES, which `closeDesk` adds to as well; the leader waits on DONE.
export const CHANGES = 1;
export const DONE = 2;
export const PRESENT = 3;
export const ROWS = 4;
/** Rows that bins are fitted on, and the ascending ones of them that are looked at; 0: all. */
export const FITTED_ROWS = 5;
export const SAMPLE = 6;
export const SAMPLED = 7;
export const MAX_BINS = 8;
export const MIN_DATA = 9;
export const FEATURES = 10;
export const COLUMN_MAJOR = 11;
export const COLUMN_STRIDE = 12;
export const ROW_MAJOR = 13;
export const ROW_STRIDE = 14;
/** Ranges of rows, 0 until all columns are binned; the next one that nobody has begun; those that are done. */
export const RANGES = 16;
const NEXT_RANGE = 17;
export const RANGES_DONE = 18;
export const SLOTS = 19;
const FIRST_SLOT = 32;
const SLOT_WORDS = 8;

// A slot: how far it is, its column, where values (f64) and edges (f64) lie, how many edges, whether they are given.
export const STATE = 0;
export const COLUMN = 1;
export const VALUES = 2;
export const EDGES = 3;
export const EDGE_COUNT = 4;
export const GIVEN = 5;

export const EMPTY = 0;
export const FILLED = 1;
export const BEGUN = 2;
export const BINNED = 3;

export const MOST_EDGES = 255;
export const RANGE_ROWS = 16_384;
/** Waits are cut into pieces: to be called away does not end one. */
const MOMENT_MS = 10;

export function wordsFor(slots: number): number {
  return FIRST_SLOT + slots * SLOT_WORDS;
}

export function slotAt(slot: number): number {
  return FIRST_SLOT + slot * SLOT_WORDS;
}

/** The words of a block, however many slots it has. */
function wordsOf(arena: Arena, block: Pointer): Int32Array {
  return arena.i32(block, wordsFor(arena.i32(block, FIRST_SLOT)[SLOTS]));
}

/** Takes a column that nobody has begun; -1 where there is none. */
function takeColumn(words: Int32Array): number {
  for (let slot = 0; slot < words[SLOTS]; slot++) {
    const state = slotAt(slot) + STATE;
    if (Atomics.load(words, state) !== FILLED) continue;
    if (Atomics.compareExchange(words, state, FILLED, BEGUN) === FILLED) return slot;
  }
  return -1;
}

/** What a thread bins its columns with. */
function binnerOf(arena: Arena, words: Int32Array): ColumnBinner {
  return new ColumnBinner(arena, words[SAMPLE] === 0 ? words[FITTED_ROWS] : words[SAMPLED]);
}

/** Bins the columns that nobody has begun. */
export function binColumns(arena: Arena, words: Int32Array): void {
  let slot = takeColumn(words);
  if (slot < 0) return;
  const binner = binnerOf(arena, words);
  for (; slot >= 0; slot = takeColumn(words)) binColumn(arena, words, slot, binner);
  binner.release();
}

/** Bins a column that this thread has taken. */
function binColumn(arena: Arena, words: Int32Array, slot: number, binner: ColumnBinner): void {
  const at = slotAt(slot);
  const rows = words[ROWS];
  const values = arena.f64(words[at + VALUES], rows);
  let edges = arena.f64(words[at + EDGES], words[at + EDGE_COUNT]);
  if (words[at + GIVEN] === 0) {
    const sample = words[SAMPLE] === 0 ? null : arena.u32(words[SAMPLE], words[SAMPLED]);
    edges = binner.fit(values.subarray(0, words[FITTED_ROWS]), sample, {
      maxBins: words[MAX_BINS],
      minDataInBin: words[MIN_DATA],
    }).edges;
    arena.f64(words[at + EDGES], edges.length).set(edges);
    words[at + EDGE_COUNT] = edges.length;
  }
  const out = words[COLUMN_MAJOR] + words[at + COLUMN] * words[COLUMN_STRIDE];
  binner.assign(values, { kind: "numeric", valueBins: edges.length + 1, edges }, out);
  Atomics.store(words, at + STATE, BINNED);
  Atomics.add(words, DONE, 1);
  Atomics.notify(words, DONE);
}

/** Lays a range of rows out that nobody has begun; false where there is none. */
export function layOutRange(arena: Arena, words: Int32Array): boolean {
  const ranges = Atomics.load(words, RANGES);
  if (Atomics.load(words, NEXT_RANGE) >= ranges) return false;
  const from = RANGE_ROWS * Atomics.add(words, NEXT_RANGE, 1);
  if (from >= words[ROWS]) return false;
  const rows = Math.min(RANGE_ROWS, words[ROWS] - from);
  kernelsOf(arena.handle()).transposeBins(
    words[COLUMN_MAJOR] + from,
    words[COLUMN_STRIDE],
    rows,
    0,
    words[FEATURES],
    words[ROW_MAJOR] + from * words[ROW_STRIDE],
    words[ROW_STRIDE],
  );
  Atomics.add(words, RANGES_DONE, 1);
  Atomics.add(words, DONE, 1);
  Atomics.notify(words, DONE);
  return true;
}

/** What a pool thread does that helps: bins columns until all are, or it is called away. */
export function helpBinning({ arena: handle, desk, place }: HelpInput): void {
  const block = enterDesk(desk, place);
  if (block === null) return;
  const arena = Arena.attach(handle);
  const words = wordsOf(arena, block);
  const binner = binnerOf(arena, words);
  let worked = 0;
  Atomics.add(words, PRESENT, 1);
  while (!isToLeave(desk, place)) {
    const change = Atomics.load(words, CHANGES);
    const begun = performance.now();
    const slot = takeColumn(words);
    if (slot >= 0) binColumn(arena, words, slot, binner);
    if (slot >= 0 || layOutRange(arena, words)) worked += performance.now() - begun;
    // Where something was added since `change` was read, this returns at once.
    else Atomics.wait(words, CHANGES, change, MOMENT_MS);
  }
  Atomics.sub(words, PRESENT, 1);
  binner.release();
  leaveDesk(desk, place, worked / 1000);
}
