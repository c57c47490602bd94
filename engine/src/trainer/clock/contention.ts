/**
 * How much longer work takes than its processor time, since others use the cores as well: what a
 * price in seconds of a quiet machine is multiplied by.
 */

import { availableParallelism } from "node:os";
import { threadProcessorTime } from "../../compute/thread-time.ts";

/** More is not believed: a thread may also have waited for a disk. */
const MOST = 12;

export interface ThreadTime {
  readonly wall: number;
  readonly processor: number;
}

/** Of the calling thread, in milliseconds; of a quiet machine where the runtime does not tell what it works. */
export function threadTime(): ThreadTime {
  const wall = performance.now();
  return { wall, processor: threadProcessorTime() ?? wall };
}

/**
 * From `since` until now: 1 on a quiet machine, 2 where another process has every other turn.
 *
 * @param waited seconds that the thread waited for others of its own
 */
export function contentionSince(since: ThreadTime, waited = 0): number {
  const now = threadTime();
  const processor = Math.max(1, now.processor - since.processor);
  return contentionOf({ wall: now.wall - since.wall - 1000 * waited, processor });
}

/** Of what a task took of its thread. */
export function contentionOf({ wall, processor }: ThreadTime): number {
  return Math.min(MOST, Math.max(1, wall / Math.max(Number.MIN_VALUE, processor)));
}

/**
 * Of a thread that works alone, by the contention of so many of one's own: n others and t of these on c cores
 * have c / (n + t) of a core each, whose inverse is (t − 1) / c more than with a single one.
 */
export function contentionAlone(
  contention: number,
  threads: number,
  cores = availableParallelism(),
): number {
  return Math.max(1, contention - (threads - 1) / cores);
}
