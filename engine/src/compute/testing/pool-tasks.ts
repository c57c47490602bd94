/** Tasks for the pool's tests. */

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
