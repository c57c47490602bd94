/**
 * Memory of arrays that a thread has let go of. V8 collects when it allocates; a thread that then waits, or
 * computes in the arena, keeps hundreds of megabytes of a large table's columns that nobody reads any more.
 */

import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Less is not worth the milliseconds that it takes. */
const WORTH_BYTES = 64 * 2 ** 20;

/** Nor is less than this anywhere, nor where young ones alone are collected, which takes a millisecond or two. */
const LITTLE_BYTES = 16 * 2 ** 20;

/** Bytes of arrays after the last collection of this thread, and after the last of young ones. */
let kept = 0;
let passing = 0;
let collector: Collector | null = null;

/** Collects all, or what was made since the last collections. */
type Collector = (young: boolean) => void;

/** Gives memory back where this thread's arrays have grown by much since the last time; else it does nothing. */
export function collectArrays(): void {
  const { arrayBuffers } = process.memoryUsage();
  if (arrayBuffers - kept < WORTH_BYTES) {
    kept = Math.min(kept, arrayBuffers);
    return;
  }
  collect(false);
}

/**
 * For between one large array and the next, when the one is not needed any more. Memory that is given back
 * at once is taken by the next, where some tens of megabytes that wait for a collection are never given back to
 * the system: the allocator of C has them in pieces by then.
 */
export function collectPassingArrays(): void {
  const { arrayBuffers } = process.memoryUsage();
  if (arrayBuffers - passing < LITTLE_BYTES) {
    passing = Math.min(passing, arrayBuffers);
    return;
  }
  // What outlived two collections of young ones is found by a whole one alone.
  if (collect(true) - kept > WORTH_BYTES) collect(false);
}

/**
 * For behind long work, where what was held until now may be most of what there is: it was there at the last collection,
 * and does not count as grown since.
 */
export function collectReleasedArrays(): void {
  if (process.memoryUsage().arrayBuffers >= LITTLE_BYTES) collect(false);
}

/** For behind the use of an arena of its own: V8 does not know what those hold, and would let gigabytes of them wait. */
export function collectArenas(): void {
  collect(false);
}

/** @returns bytes of the arrays that are left */
function collect(young: boolean): number {
  collector ??= exposedCollector();
  collector?.(young);
  const { arrayBuffers } = process.memoryUsage();
  passing = arrayBuffers;
  kept = young ? Math.min(kept, arrayBuffers) : arrayBuffers;
  return arrayBuffers;
}

/**
 * V8 has it behind a flag of the whole process, which is looked at when a context is made. It stays set: a thread that
 * took it back would take it from another, between that one's setting and its context.
 *
 * @returns null where somebody else took it back just then, and it is to be tried again the next time
 */
function exposedCollector(): Collector | null {
  setFlagsFromString("--expose-gc");
  const exposed: unknown = runInNewContext("globalThis.gc");
  return typeof exposed === "function"
    ? (young) => exposed({ type: young ? "minor" : "major" })
    : null;
}
