/**
 * Memory of arrays that a thread has let go of. V8 collects when it allocates; a thread that then waits, or
 * computes in the arena, keeps hundreds of megabytes of a large table's columns that nobody reads any more.
 */

import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Less is not worth the milliseconds that it takes. */
const WORTH_BYTES = 64 * 2 ** 20;

/** Bytes of arrays after the last collection of this thread. */
let kept = 0;
let collector: (() => void) | null = null;

/** Gives memory back where this thread's arrays have grown by much since the last time; else it does nothing. */
export function collectArrays(): void {
  const { arrayBuffers } = process.memoryUsage();
  if (arrayBuffers - kept < WORTH_BYTES) {
    kept = Math.min(kept, arrayBuffers);
    return;
  }
  collector ??= exposedCollector();
  collector();
  kept = process.memoryUsage().arrayBuffers;
}

/** V8 has it behind a flag, which is looked at when a context is made. */
function exposedCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const exposed: unknown = runInNewContext("gc");
  // A later context of this process is none the wiser.
  setFlagsFromString("--no-expose-gc");
  return typeof exposed === "function" ? () => exposed() : () => undefined;
}
