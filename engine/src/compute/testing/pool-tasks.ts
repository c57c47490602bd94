/** Tasks for the pool's tests. */

import { readFileSync } from "node:fs";
import { task } from "../pool.ts";

export const echo = task((input: number) => input);

export const fail = task((message: string) => {
  throw new RangeError(message);
});

/** Ends only with its thread. */
export const countForever = task((counter: Int32Array) => {
  for (;;) Atomics.add(counter, 0, 1);
});

/** As many bytes as are asked for. */
export const bytes = task((length: number) => new Uint8Array(length).fill(7));

export const sum = task((given: Uint8Array) => given.reduce((total, byte) => total + byte, 0));

/** Of the thread that runs it, as Linux tells. */
export const niceness = task(() => {
  const stat = readFileSync("/proc/thread-self/stat", "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
});
