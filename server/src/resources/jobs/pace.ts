/** How fast a counted stretch of a job goes, and how long the rest of it takes at that rate. */
export class Pace {
  readonly #since = performance.now();
  readonly #before: number;

  /** @param before of what is counted, done by the time that the stretch begins */
  constructor(before: number) {
    this.#before = before;
  }

  /** Null while nothing of it was done, or no time has passed. */
  perSecond(done: number): number | null {
    const seconds = (performance.now() - this.#since) / 1000;
    const here = done - this.#before;
    return here > 0 && seconds > 0 ? here / seconds : null;
  }

  /** Seconds, to a tenth; null while the rate is unknown. */
  left(done: number, total: number): number | null {
    const rate = this.perSecond(done);
    return rate === null ? null : Math.round(((total - done) / rate) * 10) / 10;
  }
}
