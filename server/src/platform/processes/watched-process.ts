/**
 * A process that works over a stranger's data, watched for its memory and its time while it has a task,
 * and killed when it takes too much of either: what it dies of is the fault of the data that it was given.
 */

import { tmpdir } from "node:os";
import { FramedProcess, type FramedProcessOptions, ProcessGoneError } from "./framed-process.ts";
import type { OwnedProcess } from "./owned-pool.ts";
import { processorMs, residentBytes } from "./process-memory.ts";

/** What a process may take of the machine. */
export interface ProcessWalls {
  /** V8's heap. */
  readonly heapMegabytes: number;
  /** All of its memory. */
  readonly residentBytes: number;
  /** For one task, milliseconds. */
  readonly wallMs: number;
}

/** What is said of the data that a process worked over. */
export interface ProcessFaults {
  readonly tookTooMuch: () => Error;
  /** @param ms of the clock, or of processor time */
  readonly tookTooLong: (ms: number, of: "clock" | "processor") => Error;
  /** It died of itself; default: the error itself. */
  readonly died?: (cause: ProcessGoneError) => Error;
}

export interface WatchedProcessOptions<Answer>
  extends Omit<FramedProcessOptions<Answer>, "folder" | "heapMegabytes"> {
  readonly walls: ProcessWalls;
  readonly faults: ProcessFaults;
}

const WATCH_MS = 50;

export class WatchedProcess<Answer> implements OwnedProcess {
  readonly #process: FramedProcess<Answer>;
  readonly #walls: ProcessWalls;
  readonly #faults: ProcessFaults;
  #tasks = 0;
  /** Why it was killed, where somebody is to be told. */
  #fault: Error | null = null;
  #isKilled = false;
  /** What the task may take of processor time, and when in the process's own it has. */
  #processor: { readonly ms: number; readonly end: number } | null = null;

  constructor({ walls, faults, ...options }: WatchedProcessOptions<Answer>) {
    this.#walls = walls;
    this.#faults = faults;
    this.#process = new FramedProcess({
      ...options,
      folder: tmpdir(),
      heapMegabytes: walls.heapMegabytes,
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** It works no more. */
  get isGone(): boolean {
    return this.#isKilled || this.#process.isGone;
  }

  /** Tasks that it was given. */
  get tasks(): number {
    return this.#tasks;
  }

  /**
   * Watches the process while `work` has it do one task; an abort kills it.
   *
   * @throws a fault of the data; what the signal is aborted with; what the work throws
   */
  async task<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    this.#tasks += 1;
    const kill = (): void => this.kill();
    signal.addEventListener("abort", kill);
    const watch = setInterval(() => void this.#look(), WATCH_MS);
    const { tookTooLong } = this.#faults;
    const { wallMs } = this.#walls;
    const timer = setTimeout(() => this.#end(tookTooLong(wallMs, "clock")), wallMs);
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      // What comes of a kill says less than its reason.
      throw this.#fault ?? (error instanceof ProcessGoneError ? this.#deathOf(error) : error);
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      this.#processor = null;
      signal.removeEventListener("abort", kill);
    }
  }

  /**
   * Bounds the processor time that the present task takes from now on, whatever else the machine does: little data has
   * little of it.
   */
  async boundProcessorTime(ms: number): Promise<void> {
    const { pid } = this;
    const begun = pid === undefined ? null : await processorMs(pid);
    this.#processor = begun === null ? null : { ms, end: begun + ms };
  }

  /** Bytes, as they are; resolves when more may be sent. */
  give(bytes: Uint8Array): Promise<void> {
    return this.#process.give(bytes);
  }

  /** The answer to a request, and the bytes that came before it: `most` of them at most. */
  async ask(request: unknown, most: number): Promise<{ answer: Answer; bytes: Buffer }> {
    const pieces: Buffer[] = [];
    let length = 0;
    const answer = await this.#process.ask(request, (piece) => {
      length += piece.length;
      if (length > most) throw new Error("more than was agreed");
      pieces.push(piece);
    });
    return { answer, bytes: Buffer.concat(pieces, length) };
  }

  kill(): void {
    this.#isKilled = true;
    this.#process.kill();
  }

  /** What it said cannot be believed: it is ended. */
  distrust(message: string, cause?: unknown): ProcessGoneError {
    return this.#process.distrust(message, cause);
  }

  async close(): Promise<void> {
    this.kill();
    await this.#process.ended;
  }

  async #look(): Promise<void> {
    const { pid } = this;
    const resident = pid === undefined ? null : await residentBytes(pid);
    if (resident !== null && resident > this.#walls.residentBytes) {
      this.#end(this.#faults.tookTooMuch());
    }
    if (pid === undefined || this.#processor === null) return;
    const taken = await processorMs(pid);
    // It may be at another task by now.
    const bound = this.#processor;
    if (taken !== null && bound !== null && taken > bound.end) {
      this.#end(this.#faults.tookTooLong(bound.ms, "processor"));
    }
  }

  #end(fault: Error): void {
    this.#fault ??= fault;
    this.kill();
  }

  /** A full heap ends in SIGABRT, a full machine in SIGKILL. */
  #deathOf(cause: ProcessGoneError): Error {
    const { endedBy } = this.#process;
    if (this.#isKilled) return cause;
    if (endedBy === "SIGABRT" || endedBy === "SIGKILL") return this.#faults.tookTooMuch();
    return this.#faults.died?.(cause) ?? cause;
  }
}
