/**
 * Runs inductions and extractions in threads of their own, with limits of memory and time, so that
 * the process that answers requests never waits for one. A thread serves one job and ends.
 */

import { Worker } from "node:worker_threads";
import type { InductionResult } from "../induce.ts";
import type { Inducer, InductionProgress, InductionRequest } from "../inducer.ts";
import { InducerUnavailable } from "../inducer.ts";
import type { ExtractionPlan } from "../schema.ts";
import type { ExtractedDocument, FromThread, StoredDocument, Task, ToThread } from "./messages.ts";
import { Turnstile } from "./turnstile.ts";

export type { ExtractedDocument, StoredDocument } from "./messages.ts";

export interface InductionLimits {
  /** Megabytes of a thread's heap. */
  readonly memoryMb: number;
  /** Seconds of a job, without those in which an inducer on the main thread proposes. */
  readonly seconds: number;
  /** Jobs at once; others wait. */
  readonly threads: number;
}

export const DEFAULT_LIMITS: InductionLimits = { memoryMb: 768, seconds: 900, threads: 1 };

/** A job went beyond what it may use; the message says so to the person who asked for it. */
export class InductionLimitError extends Error {
  override readonly name = "InductionLimitError";
}

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: InductionProgress) => void;
}

export interface InductionInput {
  readonly documents: readonly StoredDocument[];
  readonly request: InductionRequest;
  /**
   * Proposes on this thread (it may call a network); absent, the embedded inducer proposes in the
   * job's thread. One that throws `InducerUnavailable` is replaced by the embedded one, and the
   * schema's metadata says so.
   */
  readonly inducer?: Inducer;
}

export class InductionRunner {
  readonly #limits: InductionLimits;
  readonly #turnstile: Turnstile;
  readonly #running = new Set<Worker>();
  #isClosed = false;

  constructor(limits: Partial<InductionLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#turnstile = new Turnstile(this.#limits.threads);
  }

  /**
   * @throws InductionLimitError beyond the limits; the signal's reason when it is aborted
   */
  async induce(input: InductionInput, options: RunOptions): Promise<InductionResult> {
    const { documents, request, inducer } = input;
    const outsideInducer = inducer?.name ?? null;
    const task: Task = { kind: "induce", documents, request, outsideInducer };
    const end = await this.#run(task, inducer ?? null, options);
    if (end.kind !== "induced") throw new Error(`an induction ended as ${end.kind}`);
    return end.result;
  }

  /** One entry for each document, in their order; `onProgress` counts documents as "reading". */
  async extract(
    plan: ExtractionPlan,
    documents: readonly StoredDocument[],
    options: RunOptions,
  ): Promise<readonly ExtractedDocument[]> {
    const end = await this.#run({ kind: "extract", documents, plan }, null, options);
    if (end.kind !== "extracted") throw new Error(`an extraction ended as ${end.kind}`);
    return end.rows;
  }

  /** Ends what runs; jobs that are still open are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((worker) => worker.terminate()));
  }

  async #run(task: Task, inducer: Inducer | null, options: RunOptions): Promise<FromThread> {
    options.signal.throwIfAborted();
    const leave = await this.#turnstile.enter(options.signal);
    try {
      if (this.#isClosed) throw new Error("the runner is closed");
      options.signal.throwIfAborted();
      return await this.#inThread(task, inducer, options);
    } finally {
      leave();
    }
  }

  async #inThread(task: Task, inducer: Inducer | null, options: RunOptions): Promise<FromThread> {
    const worker = new Worker(new URL("./induction-thread.ts", import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb },
      // A stranger's document is read here: nothing of the process's environment is needed.
      env: {},
    });
    this.#running.add(worker);
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    const clock = new JobClock(this.#limits.seconds, () => {
      const limit = `${this.#limits.seconds} seconds`;
      stop.abort(new InductionLimitError(`The documents took longer than ${limit} to study.`));
    });
    try {
      return await new Promise<FromThread>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        worker.on("message", (message: FromThread) => {
          if (message.kind === "progress") options.onProgress?.(message.progress);
          else if (message.kind === "propose" && inducer !== null && task.kind === "induce") {
            clock.pause();
            answerProposals(inducer, message.documents, task.request, signal)
              .then((answer) => {
                clock.resume();
                worker.postMessage(answer);
              })
              .catch(reject);
          } else if (message.kind === "fault") reject(faultOf(message));
          else resolve(message);
        });
        worker.on("error", (error) => reject(limitOf(error, this.#limits.memoryMb)));
        worker.on("exit", () => reject(new Error("the thread of a job ended early")));
      });
    } finally {
      clock.pause();
      stop.abort();
      this.#running.delete(worker);
      await worker.terminate();
    }
  }
}

async function answerProposals(
  inducer: Inducer,
  documents: Parameters<Inducer["propose"]>[0],
  request: InductionRequest,
  signal: AbortSignal,
): Promise<ToThread> {
  try {
    return { kind: "proposals", proposals: await inducer.propose(documents, request, signal) };
  } catch (error) {
    if (error instanceof InducerUnavailable) return { kind: "unavailable", note: error.message };
    throw error;
  }
}

/** The thread's error, with where it happened there. */
function faultOf({ name, message, stack }: Extract<FromThread, { kind: "fault" }>): Error {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

function limitOf(error: unknown, memoryMb: number): unknown {
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
    return new InductionLimitError(
      `The documents took more than ${memoryMb} MB of memory to study; send fewer or shorter ones.`,
      { cause: error },
    );
  }
  return error;
}

/** Counts a job's own seconds. */
class JobClock {
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #onEnd: () => void;

  constructor(seconds: number, onEnd: () => void) {
    this.#left = seconds * 1000;
    this.#onEnd = onEnd;
    this.resume();
  }

  pause(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }

  resume(): void {
    this.#since = performance.now();
    this.#timer ??= setTimeout(this.#onEnd, this.#left);
  }
}
