/**
 * Pools that the test files of one process share: threads that have loaded the engine, and compiled what trains, take a
 * part of the time of new ones. They end with the process. What ends threads, or gives them settings, makes its own.
 */

import type { ComputePool } from "../compute/pool.ts";
import { createPool } from "../worker/pool.ts";

const pools = new Map<number, ComputePool>();

/** The one pool of so many threads. It is not to be closed. */
export function sharedPool(threads: 1 | 2): ComputePool {
  const pool = pools.get(threads) ?? createPool(threads);
  pools.set(threads, pool);
  return pool;
}
