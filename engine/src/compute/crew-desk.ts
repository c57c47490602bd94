/**
 * Where the threads of one fit meet: a few words of memory that are there before the fit begins and after
 * it has ended, unlike the block in the arena through which they share its work.
 *
 * The leader opens the desk with the address of that block and closes it before it frees the block;
 * helpers are inside between the two. Who only wants helpers to leave says so here.
 */

import * as layout from "../kernels/assembly/crew/crew-layout.ts";
import type { ArenaHandle, Pointer } from "./arena.ts";

/** i32 words of shared memory, all 0 at first. */
export type CrewDesk = Int32Array;

const STATE = 0;
const BLOCK = 1;
/** A bit for each place whose helper may touch the block. */
const INSIDE = 2;
/** A bit for each place whose helper is to leave. */
const LEAVE = 3;
/** A bit for each place whose helper ended inside. */
const LOST = 4;
/** Tenths of a millisecond that helpers worked. */
const WORKED = 5;
/** Helpers that there is memory for. */
const PLACES = 6;
/** And those that their leader waited for them. */
const WAITED = 7;
const WORDS = 8;

/** 2³¹ of them are two days and a half. */
const TICKS_A_SECOND = 1e4;

/** 0: it has not been opened. */
const OPEN = 1;
const CLOSED = 2;

/** Helpers at most: there is a bit for each. */
export const MOST_HELPERS = 15;

/** Waits are cut into pieces, since whoever would end one may itself have ended. */
const MOMENT_MS = 20;

/** No unit takes so long, so that a leader that waited longer has waited for a thread without a core. */
const UNIT_MS = 2;
/** A leader then goes alone for some times as long. Twice as many times each time that it comes soon again. */
const TIMES_ALONE = 5;
const MOST_TIMES_ALONE = 160;
const MOST_ALONE = 20_000;
const SOON_JOBS = 500;

/** A thread that shared the work of a fit ended, and took a part of it along. */
export class HelperLostError extends Error {
  override readonly name = "HelperLostError";

  /** What the thread threw; null where that is not known. */
  readonly why: string | null;

  constructor(why: string | null = null) {
    const because = why === null ? "." : `: ${why}`;
    super(
      `A thread that helped with this fit ended before its part of the work was done${because}`,
    );
    this.why = why;
  }
}

/** A desk for one fit. */
export function newDesk(): CrewDesk {
  return new Int32Array(new SharedArrayBuffer(WORDS * 4));
}

// Of the leader

/** The desk of the fit that this thread leads. */
let leading: CrewDesk | null = null;

export function openDesk(desk: CrewDesk, block: Pointer, places: number): void {
  leading = desk;
  Atomics.store(desk, BLOCK, block);
  Atomics.store(desk, PLACES, places);
  Atomics.store(desk, STATE, OPEN);
  Atomics.notify(desk, STATE);
}

/** Resolves when no helper touches the block any more. */
export function closeDesk(desk: CrewDesk, words: Int32Array): void {
  leading = null;
  Atomics.store(desk, STATE, CLOSED);
  Atomics.notify(desk, STATE);
  Atomics.add(words, layout.JOB / 4, 1);
  Atomics.notify(words, layout.JOB / 4);
  for (;;) {
    const inside = Atomics.load(desk, INSIDE);
    if ((inside & ~Atomics.load(desk, LOST)) === 0) return;
    Atomics.wait(desk, INSIDE, inside, MOMENT_MS);
  }
}

/**
 * Seconds that helpers of a closed desk worked, all together; but for those that their leader waited for them,
 * so that they and its own are the work of the fit.
 */
export function helpedSeconds(desk: CrewDesk): number {
  return Atomics.load(desk, WORKED) / TICKS_A_SECOND - waitedSeconds(desk);
}

/** Seconds that the leader waited for helpers instead of working. */
export function waitedSeconds(desk: CrewDesk): number {
  return Atomics.load(desk, WAITED) / TICKS_A_SECOND;
}

/**
 * Waits a moment for units that helpers have begun; what the kernels call.
 *
 * @param least to what the word is to come @param word its offset in the block: units that are done, if left out
 * @throws HelperLostError
 */
export function awaitCrew(
  arena: ArenaHandle,
  crew: Pointer,
  least: number,
  word: number = layout.DONE,
): void {
  const words = new Int32Array(arena.memory.buffer, crew, layout.BYTES / 4);
  Atomics.store(words, layout.LEADER_WAITS / 4, 1);
  const done = Atomics.load(words, word / 4);
  const begun = performance.now();
  if (done < least) Atomics.wait(words, word / 4, done, MOMENT_MS);
  Atomics.store(words, layout.LEADER_WAITS / 4, 0);
  const waited = performance.now() - begun;
  // A whole tree takes longer than a unit.
  if (waited > UNIT_MS && word !== layout.TREES_DONE) goAlone(words, waited);
  if (leading === null) return;
  noteWaiting(leading, waited);
  throwIfLost(leading);
}

/** Of the leader: it waited so many milliseconds for helpers. */
export function noteWaiting(desk: CrewDesk, milliseconds: number): void {
  Atomics.add(desk, WAITED, Math.round((milliseconds / 1000) * TICKS_A_SECOND));
}

/** @throws HelperLostError where a helper has ended otherwise than by leaving */
export function throwIfLost(desk: CrewDesk): void {
  if (Atomics.load(desk, LOST) !== 0) throw new HelperLostError();
}

/**
 * A leader's next jobs are its own, as many as take some times as long as it waited: what a job takes is known by those
 * before, which are a few microseconds of narrow data and a millisecond of wide.
 */
function goAlone(words: Int32Array, waited: number): void {
  const job = Atomics.load(words, layout.JOB / 4);
  const sinceLast = job - words[layout.WAITED_AT / 4];
  const last = words[layout.TIMES_ALONE / 4];
  // A long wait comes in moments, all amid one job.
  const repeated = sinceLast === 0 ? last : sinceLast < SOON_JOBS ? 2 * last : 0;
  const times = Math.min(Math.max(repeated, TIMES_ALONE), MOST_TIMES_ALONE);
  const left = words[layout.ALONE / 4];
  const done = job + words[layout.ALL_ALONE / 4] - left;
  // The clock's whole milliseconds are kept in 32 bits, of which a long-lived thread has more.
  const elapsed = (performance.now() - words[layout.SHARED_SINCE / 4]) | 0;
  const jobs = Math.ceil((waited * times * Math.max(1, done)) / Math.max(1, elapsed));
  const more = Math.min(jobs, MOST_ALONE - left);
  words[layout.WAITED_AT / 4] = job;
  words[layout.TIMES_ALONE / 4] = times;
  words[layout.ALONE / 4] = left + more;
  words[layout.ALL_ALONE / 4] += more;
}

// Of helpers

/**
 * Waits until the fit shares its work. Null where it never does, or the helper is to leave: one that there
 * is no memory for waits until then, since another in its place would find none either.
 */
export function enterDesk(desk: CrewDesk, place: number): Pointer | null {
  for (;;) {
    const state = Atomics.load(desk, STATE);
    if (state === OPEN && place <= Atomics.load(desk, PLACES)) break;
    if (isToLeave(desk, place)) return null;
    Atomics.wait(desk, STATE, state, MOMENT_MS);
  }
  Atomics.or(desk, INSIDE, 1 << place);
  // Only now: a leader that closes the desk afterwards waits for this helper.
  if (!isToLeave(desk, place)) return Atomics.load(desk, BLOCK);
  leaveDesk(desk, place, 0);
  return null;
}

/** Whether the helper of a place has nothing more to do here. */
export function isToLeave(desk: CrewDesk, place: number): boolean {
  return Atomics.load(desk, STATE) === CLOSED || ((Atomics.load(desk, LEAVE) >> place) & 1) !== 0;
}

/** The last that a helper does. @param seconds that it worked */
export function leaveDesk(desk: CrewDesk, place: number, seconds: number): void {
  Atomics.add(desk, WORKED, Math.round(seconds * TICKS_A_SECOND));
  Atomics.and(desk, INSIDE, ~(1 << place));
  Atomics.notify(desk, INSIDE);
}

// Of whoever sends helpers

/** The helper of a place may come, or is to leave as soon as it has finished its unit of work. */
export function callHelper(desk: CrewDesk, place: number, comes: boolean): void {
  if (comes) Atomics.and(desk, LEAVE, ~(1 << place));
  else Atomics.or(desk, LEAVE, 1 << place);
  Atomics.notify(desk, STATE);
}

/** The fit has ended, whether or not its thread could say so. */
export function endDesk(desk: CrewDesk): void {
  Atomics.store(desk, STATE, CLOSED);
  Atomics.notify(desk, STATE);
}

/**
 * The helper of a place ended otherwise than by leaving. One that never came in has no part of the work, and its
 * fit goes on.
 *
 * @returns whether it was inside
 */
export function loseHelper(desk: CrewDesk, place: number): boolean {
  const inside = Atomics.load(desk, INSIDE) & (1 << place);
  Atomics.or(desk, LOST, inside);
  return inside !== 0;
}
