/**
 * Runs inductions and extractions in processes of their own, with limits of memory and time, so that
 * the process that answers requests never waits for one, nor ends with one. A process serves one job.
 */

import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endProcess, forkedProcess } from "../../../platform/processes/forked-process.ts";
import { ProcessGoneError } from "../../../platform/processes/framed-process.ts";
import { Semaphore } from "../../../platform/processes/semaphore.ts";
import type { InductionResult } from "../induce.ts";
import type { Inducer, InductionProgress, InductionRequest } from "../inducer.ts";
import { InducerUnavailable } from "../inducer.ts";
import type { ExtractionPlan } from "../schema.ts";
import type {
  ExtractedDocument,
  FromProcess,
  StoredDocument,
  Task,
  ToProcess,
} from "./messages.ts";

export type { ExtractedDocument, StoredDocument } from "./messages.ts";

export interface InductionLimits {
  /** Megabytes of a process's heap. */
  readonly memoryMb: number;
  /** Seconds of a job, without those in which an inducer of the service proposes. */
  readonly seconds: number;
  /** Jobs at once; others wait. */
  readonly jobs: number;
}

const DEFAULT_LIMITS: InductionLimits = { memoryMb: 768, seconds: 900, jobs: 1 };

/**
 * A job over documents fails by its own documents, request or size: another try would fail again. The
 * message says so to the person who asked for it.
 */
export class InductionError extends Error {
  override readonly name = "InductionError";
}

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: InductionProgress) => void;
}

export interface InductionInput {
  readonly documents: readonly StoredDocument[];
  readonly request: InductionRequest;
  /**
   * Proposes in this process (it may call a network); absent, the embedded inducer proposes in the
   * job's. One that throws `InducerUnavailable` is replaced by the embedded one, and the
   * schema's metadata says so.
   */
  readonly inducer?: Inducer;
}

export class InductionRunner {
  readonly #limits: InductionLimits;
  readonly #semaphore: Semaphore;
  readonly #running = new Set<ChildProcess>();
  #isClosed = false;

  constructor(limits: Partial<InductionLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#semaphore = new Semaphore(this.#limits.jobs);
  }

  /**
   * @throws InductionError beyond the limits; the signal's reason when it is aborted
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
    await Promise.all([...this.#running].map(endProcess));
  }

  async #run(task: Task, inducer: Inducer | null, options: RunOptions): Promise<FromProcess> {
    options.signal.throwIfAborted();
    const leave = await this.#semaphore.acquire(options.signal);
    try {
      if (this.#isClosed) throw new Error("the runner is closed");
      options.signal.throwIfAborted();
      return await this.#inProcess(task, inducer, options);
    } finally {
      leave();
    }
  }

  async #inProcess(task: Task, inducer: Inducer | null, options: RunOptions): Promise<FromProcess> {
    const { memoryMb, seconds } = this.#limits;
    const child = forkedProcess(MAIN, memoryMb);
    this.#running.add(child);
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    const clock = new JobClock(seconds, () => {
      stop.abort(new InductionError(`The documents took longer than ${seconds} seconds to study.`));
    });
    const tell = (message: ToProcess): void => {
      // One that is gone says so by its end.
      child.send(message, () => undefined);
    };
    try {
      return await new Promise<FromProcess>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        // Typed by the code at its other end, which is this build's.
        child.on("message", (message: FromProcess) => {
          if (message.kind === "progress") options.onProgress?.(message.progress);
          else if (message.kind === "propose" && inducer !== null && task.kind === "induce") {
            clock.pause();
            answerProposals(inducer, message.documents, task.request, signal)
              .then((answer) => {
                clock.resume();
                tell(answer);
              })
              .catch(reject);
          } else if (message.kind === "fault") reject(faultOf(message));
          else resolve(message);
        });
        child.once("error", reject);
        child.once("exit", (_code, endedBy) => {
          // Killed by `close`, it is no fault of the documents.
          reject(endOf(this.#isClosed ? null : endedBy, memoryMb));
        });
        tell({ kind: "task", task });
      });
    } finally {
      clock.pause();
      stop.abort();
      await endProcess(child);
      this.#running.delete(child);
    }
  }
}

const MAIN = fileURLToPath(new URL("./induction-process.ts", import.meta.url));

async function answerProposals(
  inducer: Inducer,
  documents: Parameters<Inducer["propose"]>[0],
  request: InductionRequest,
  signal: AbortSignal,
): Promise<ToProcess> {
  try {
    return { kind: "proposals", proposals: await inducer.propose(documents, request, signal) };
  } catch (error) {
    if (error instanceof InducerUnavailable) return { kind: "unavailable", note: error.message };
    throw error;
  }
}

/** The process's error, with where it happened there. */
function faultOf({ name, message, stack }: Extract<FromProcess, { kind: "fault" }>): Error {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** A full heap ends in SIGABRT, a full machine in SIGKILL. */
function endOf(endedBy: NodeJS.Signals | null, memoryMb: number): Error {
  if (endedBy !== "SIGABRT" && endedBy !== "SIGKILL") {
    return new ProcessGoneError("the process of a job ended early");
  }
  return new InductionError(
    `The documents took more than ${memoryMb} MB of memory to study; send fewer or shorter ones.`,
  );
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
