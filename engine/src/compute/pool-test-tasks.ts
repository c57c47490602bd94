/** Tasks for the pool's tests. */

import { task } from "./pool.ts";

export const echo = task((input: number) => input);

export const fail = task((message: string) => {
  throw new RangeError(message);
});

/** Ends only with its thread. */
export const countForever = task((counter: Int32Array) => {
  for (;;) Atomics.add(counter, 0, 1);
});
