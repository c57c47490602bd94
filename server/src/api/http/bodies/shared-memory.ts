/**
 * Memory that threads share, lent to one request after another. Collectors do not count shared memory:
 * what is dropped stays until one of them runs for another reason, in each thread that has seen it. So
 * it is used again.
 */

/** Of what lies idle; more is dropped. */
const MOST_IDLE_BYTES = 512 * 2 ** 20;

export class SharedMemory {
  readonly #idle: SharedArrayBuffer[] = [];

  /** Lends memory for so many bytes, whose contents say nothing, until the callback ends. */
  async lend<Result>(use: (take: (bytes: number) => Buffer) => Promise<Result>): Promise<Result> {
    const taken: SharedArrayBuffer[] = [];
    try {
      return await use((bytes) => {
        const memory = this.#take(bytes);
        taken.push(memory);
        return Buffer.from(memory, 0, bytes);
      });
    } finally {
      for (const memory of taken) this.#giveBack(memory);
    }
  }

  /** Bytes of what lies idle. */
  get idleBytes(): number {
    return this.#idle.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  #take(bytes: number): SharedArrayBuffer {
    // The system gives memory where it is written to, so that what stays empty costs nothing.
    const size = 2 ** Math.ceil(Math.log2(Math.max(1, bytes)));
    const at = this.#idle.findIndex(({ byteLength }) => byteLength === size);
    const [found] = at < 0 ? [] : this.#idle.splice(at, 1);
    return found ?? new SharedArrayBuffer(size);
  }

  #giveBack(memory: SharedArrayBuffer): void {
    if (this.idleBytes + memory.byteLength <= MOST_IDLE_BYTES) this.#idle.push(memory);
  }
}
