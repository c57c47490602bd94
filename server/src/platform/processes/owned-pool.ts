/**
 * Processes that read strangers' data, so many at once, each for many tasks of one owner: whoever finds
 * a way into one finds nobody else's data there.
 */

import { ProcessGoneError } from "./framed-process.ts";
import { residentBytes } from "./process-memory.ts";

export interface OwnedProcess {
  readonly pid: number | undefined;
  /** It works no more. */
  readonly isGone: boolean;
  /** Tasks that it was given. */
  readonly tasks: number;
  /** Ends it, and resolves when it is gone. */
  close(): Promise<void>;
}

export interface OwnedPoolLimits {
  /** Processes that work at once. */
  readonly processes: number;
  /** Tasks that one process is given at most. */
  readonly tasksOfProcess: number;
  /** A process that keeps more than this is ended. */
  readonly keptBytes: number;
  /** A process that nobody asks is ended after this, milliseconds. */
  readonly idleMs: number;
}

/** Null = nobody. */
type Owner = string | null;

interface Idle<Process> {
  readonly process: Process;
  readonly owner: Owner;
  readonly timer: NodeJS.Timeout;
}

export class OwnedPool<Process extends OwnedProcess> {
  readonly #limits: OwnedPoolLimits;
  readonly #start: () => Process;
  /** Latest used last. */
  #idle: Idle<Process>[] = [];
  readonly #all = new Set<Process>();
  readonly #closing = new Set<Promise<void>>();
  /** By owner, in the order in which they came or were last served. */
  readonly #waiting = new Map<Owner, (() => void)[]>();
  readonly #working = new Map<Owner, number>();
  #turns = 0;
  #closed = false;

  constructor(limits: OwnedPoolLimits, start: () => Process) {
    this.#limits = limits;
    this.#start = start;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Of the processes that live, whether they work or wait. */
  get pids(): number[] {
    return [...this.#all].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Waits for its turn: first come those for whom the fewest processes work, then those who were not served lately,
   * each owner's in the order of the calls.
   *
   * @throws what the signal is aborted with while it waits, or what the work throws
   */
  async inTurn<Result>(
    owner: Owner,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await this.#turn(owner, signal);
    try {
      return await work();
    } finally {
      this.#count(owner, -1);
      this.#next();
    }
  }

  /**
   * Lends a process that has worked for the owner or for nobody.
   *
   * @throws ProcessGoneError where the pool is closed, or what the work throws
   */
  async withProcess<Result>(
    owner: Owner,
    work: (process: Process) => Promise<Result>,
  ): Promise<Result> {
    const process = this.#take(owner);
    try {
      return await work(process);
    } finally {
      void this.#release(process, owner);
    }
  }

  /** Ends a process that is to be given nothing more. */
  retire(process: Process): void {
    if (!this.#all.delete(process)) return;
    for (const idle of this.#idle.filter((one) => one.process === process)) this.#forget(idle);
    const closing = process.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    closing.catch(() => undefined);
  }

  /** Ends all processes; what they work on fails. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const process of this.#all) this.retire(process);
    await Promise.all(this.#closing);
  }

  async #turn(owner: Owner, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#turns < this.#limits.processes) {
      this.#count(owner, 1);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const queue = this.#waiting.get(owner) ?? [];
      this.#waiting.set(owner, queue);
      const begin = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        queue.splice(queue.indexOf(begin), 1);
        if (queue.length === 0 && this.#waiting.get(owner) === queue) this.#waiting.delete(owner);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.push(begin);
    });
  }

  #count(owner: Owner, change: 1 | -1): void {
    this.#turns += change;
    const working = (this.#working.get(owner) ?? 0) + change;
    if (working === 0) this.#working.delete(owner);
    else this.#working.set(owner, working);
  }

  /** Hands over the place of whoever is done. */
  #next(): void {
    const working = ([owner]: readonly [Owner, unknown]): number => this.#working.get(owner) ?? 0;
    const [first, ...others] = this.#waiting;
    if (first === undefined) return;
    const [owner, queue] = others.reduce(
      (least, one) => (working(one) < working(least) ? one : least),
      first,
    );
    const begin = queue.shift();
    this.#waiting.delete(owner);
    if (queue.length > 0) this.#waiting.set(owner, queue);
    this.#count(owner, 1);
    begin?.();
  }

  #take(owner: Owner): Process {
    if (this.#closed) throw new ProcessGoneError("the processes are closed");
    const idle = this.#idle.findLast((one) => one.owner === owner);
    if (idle !== undefined) {
      this.#forget(idle);
      if (!idle.process.isGone) return idle.process;
      this.retire(idle.process);
    }
    // Those that wait for others make room.
    if (this.#all.size >= this.#limits.processes) {
      const oldest = this.#idle[0];
      if (oldest !== undefined) {
        this.#forget(oldest);
        this.retire(oldest.process);
      }
    }
    const process = this.#start();
    this.#all.add(process);
    return process;
  }

  async #release(process: Process, owner: Owner): Promise<void> {
    if (!this.#all.has(process)) return;
    if (this.#closed || process.isGone || process.tasks >= this.#limits.tasksOfProcess) {
      this.retire(process);
      return;
    }
    const timer = setTimeout(() => {
      this.#forget(idle);
      this.retire(process);
    }, this.#limits.idleMs).unref();
    const idle: Idle<Process> = { process, owner, timer };
    this.#idle.push(idle);
    const resident = process.pid === undefined ? null : await residentBytes(process.pid);
    if (resident !== null && resident > this.#limits.keptBytes && this.#idle.includes(idle)) {
      this.#forget(idle);
      this.retire(process);
    }
  }

  #forget(idle: Idle<Process>): void {
    clearTimeout(idle.timer);
    this.#idle = this.#idle.filter((one) => one !== idle);
  }
}
