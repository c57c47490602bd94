/** A clock that stands still until a test moves it. */

import type { Clock } from "../clock/budget.ts";

export class FakeClock implements Clock {
  #now: number;
  #timers: { readonly at: number; readonly call: () => void }[] = [];

  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.#now + milliseconds, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  advance(seconds: number): void {
    this.#now += 1000 * seconds;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { call } of due) call();
  }
}
