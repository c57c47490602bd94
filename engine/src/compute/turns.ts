/** A number of places, and those who wait for one in the order in which they came. */

export class Turns {
  #free: number;
  /** Each is called when its turn has come, or with why there will be none. */
  readonly #waiting = new Set<(fault?: Error) => void>();

  /** @param places ≥ 1 */
  constructor(places: number) {
    this.#free = places;
  }

  /**
   * Does something in a place of its own.
   *
   * @param signal ends the waiting, not what is done
   * @throws what the signal is aborted with, or `end` was called with
   */
  async take<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  /** Sends away all who wait. */
  end(fault: Error): void {
    for (const each of [...this.#waiting]) each(fault);
  }

  #turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.#waiting.delete(called);
        reject(signal?.reason);
      };
      const called = (fault?: Error): void => {
        this.#waiting.delete(called);
        signal?.removeEventListener("abort", aborted);
        if (fault) reject(fault);
        else resolve();
      };
      if (signal?.aborted) return aborted();
      signal?.addEventListener("abort", aborted, { once: true });
      this.#waiting.add(called);
    });
  }
}
