/** Tasks for the pool's tests. */

import { task } from "./pool.ts";

export const echo = task((input: number) => input);

export const fail = task((message: string) => {
  throw new RangeError(message);
});
