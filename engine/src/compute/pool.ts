/**
 * The pool of worker threads that all CPU-bound work runs in, so that the loop which serves
 * requests and sends heartbeats is never blocked. A task is plain data for a named export of one
 * module; shared memory crosses by reference.
 */

import { availableParallelism } from "node:os";
import { Piscina } from "piscina";

export interface TaskOptions {
  /** Aborting stops the thread that runs the task; its arena must not be used afterwards. */
  readonly signal?: AbortSignal;
}

export class ComputePool {
  readonly threads: number;
  readonly #piscina: Piscina;

  /**
   * @param module URL of the module whose named exports are the tasks
   * @param threads ≥ 1; default one for each core
   */
  constructor(module: URL, threads = availableParallelism()) {
    this.threads = threads;
    this.#piscina = new Piscina({
      filename: module.href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 30_000,
      // A queue may be long: the trainer sends a whole step at once.
      maxQueue: Number.POSITIVE_INFINITY,
    });
  }

  /** Runs the module's export `name` on `input` in some thread. Rejects with what it threw. */
  async run<Input, Output>(name: string, input: Input, options: TaskOptions = {}): Promise<Output> {
    return this.#piscina.run(input, {
      name,
      ...(options.signal ? { signal: options.signal } : {}),
    }) as Promise<Output>;
  }

  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
