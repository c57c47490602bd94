/**
 * Time, as a budget counts it: seconds of work on the run since it was begun, preparing included.
 * A process that goes on from a log counts what the log shows of work done, and not the hours
 * between the two. The clock is asked nowhere else, so that a test may bring its own.
 */

export interface Clock {
  /** Milliseconds since some moment; never steps back. */
  now(): number;
  /** Calls back once after so many milliseconds, and gives what calls it off. */
  after(milliseconds: number, call: () => void): () => void;
}

/** Some 25 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      const most = Math.min(left, LONGEST_TIMER);
      timer = setTimeout(() => (left > most ? wait(left - most) : call()), most);
    };
    wait(milliseconds);
    return () => clearTimeout(timer);
  },
};

export class Stopwatch {
  readonly #clock: Clock;
  #since: number;
  #before = 0;

  /** @param startedAt by the clock: when reading the data began */
  constructor(clock: Clock, startedAt = clock.now()) {
    this.#clock = clock;
    this.#since = startedAt;
  }

  /** Seconds of work so far. */
  get elapsed(): number {
    return this.#before + (this.#clock.now() - this.#since) / 1000;
  }

  /** Goes on from a log that shows so many seconds of work. */
  resumeFrom(elapsed: number): void {
    this.#before = elapsed;
    this.#since = this.#clock.now();
  }
}
