/**
 * The threads that answer rows. A thread is asked one thing at a time: what comes meanwhile waits, and
 * small requests for predictions by one model that have waited are answered together. Nothing waits while
 * a thread is idle that can answer it.
 *
 * Requests go to threads that hold their model; a thread that holds it not loads it beside them once the
 * others cannot keep up. A request that may take long never has the last thread.
 */

import { Worker } from "node:worker_threads";
import { type ReviveError, revived, TaskFailedError } from "@distillery/engine";
import { Problem } from "../../input/problem.ts";
import type { Asked, CountedRows, FromThread, ThreadSettings, ToThread } from "./messages.ts";

/** Bodies up to this are answered together, so many at once. */
const SMALL_BYTES = 16 * 1024;
const MOST_TOGETHER = 32;

export interface ServingOptions extends ThreadSettings {
  /** ≥ 1 */
  readonly threads: number;
  /** Beyond these, what comes is refused. */
  readonly mostWaiting: number;
  readonly mostWaitingBytes: number;
  readonly revive: ReviveError;
}

interface Waiting {
  readonly asked: Asked;
  readonly bytes: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  /** What it is asked; null = nothing. */
  busy: readonly Waiting[] | null;
  isLong: boolean;
  /** Whether it loads a model that nobody has asked for yet. */
  isWarming: boolean;
  /** Folders of the models that it holds, or will when it is done. */
  loaded: Set<string>;
  /** Told, one behind another, that it has said what it counted. */
  readonly counting: (() => void)[];
}

/** A model to load before it is asked for. */
interface Warming {
  readonly folder: string;
  /** Threads that have it, or were told to load it. */
  readonly told: Set<Thread>;
}

export class ServingPool {
  readonly #options: ServingOptions;
  readonly #threads: Thread[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #toWarm: Warming[] = [];
  readonly #counted: CountedRows[] = [];
  #waitingBytes = 0;
  #closed = false;

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  /**
   * Gives what is asked to a thread; the memory of its body goes along where it is large.
   *
   * @throws Problem (503) where too many wait; what the thread threw
   */
  ask<Answer>(asked: Asked): Promise<Answer> {
    // Parts share the memory of a body that has waited.
    const bytes = asked.kind === "predictArrowPart" ? 0 : (bodyOf(asked)?.byteLength ?? 0);
    const { mostWaiting, mostWaitingBytes } = this.#options;
    const isIdle = this.#waiting.length === 0;
    if (
      this.#waiting.length >= mostWaiting ||
      (!isIdle && this.#waitingBytes + bytes > mostWaitingBytes)
    ) {
      return Promise.reject(overloaded());
    }
    return new Promise((resolve, reject) => {
      // What a thread answers is as its kind says (`serving-thread.ts`).
      const answered = (value: unknown): void => resolve(value as Answer);
      this.#waiting.push({ asked, bytes, resolve: answered, reject });
      this.#waitingBytes += bytes;
      this.#dispatch();
    });
  }

  /** Threads that answer at most at a time. */
  get threads(): number {
    return this.#options.threads;
  }

  /** Requests that no thread has taken yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Loads a model in all threads, one behind another, while nobody waits for them. */
  warm(folder: string): void {
    if (this.#toWarm.some((warming) => warming.folder === folder)) return;
    this.#toWarm.push({ folder, told: new Set() });
    this.#warmNext();
  }

  /** Drops a model in every thread. */
  forget(folder: string): void {
    const at = this.#toWarm.findIndex((warming) => warming.folder === folder);
    if (at >= 0) this.#toWarm.splice(at, 1);
    for (const { worker, loaded } of this.#threads) {
      loaded.delete(folder);
      post(worker, { kind: "forget", folder });
    }
  }

  /** Rows that were answered for endpoints since the last time; threads at work tell theirs a later time. */
  async counted(): Promise<readonly CountedRows[]> {
    await Promise.all(
      this.#threads.map((thread) => {
        const told = new Promise<void>((resolve) => thread.counting.push(resolve));
        post(thread.worker, { kind: "count" });
        return thread.busy === null ? told : undefined;
      }),
    );
    return this.#counted.splice(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the service is closing"));
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #warmNext(): void {
    const { threads } = this.#options;
    if (this.#waiting.length > 0 || this.#threads.some(({ isWarming }) => isWarming)) return;
    for (let next = this.#toWarm[0]; next !== undefined; next = this.#toWarm[0]) {
      const { folder, told } = next;
      for (const thread of this.#threads) if (thread.loaded.has(folder)) told.add(thread);
      const left = this.#threads.filter((thread) => !told.has(thread));
      const mayStart = this.#threads.length < threads && !this.#closed;
      const thread = left.find(({ busy }) => busy === null) ?? (mayStart ? this.#start() : null);
      if (thread) {
        told.add(thread);
        load(thread, folder);
        thread.isWarming = true;
        return;
      }
      // The others are asked when they are done.
      if (left.length > 0) return;
      this.#toWarm.shift();
    }
  }

  /** A thread that does nothing; a new one while there may be more. */
  #idle(): Thread | null {
    const idle = this.#threads.find(({ busy }) => busy === null);
    if (idle) return idle;
    return this.#threads.length < this.#options.threads && !this.#closed ? this.#start() : null;
  }

  #dispatch(): void {
    for (const thread of this.#threads) if (thread.busy === null) this.#give(thread);
    while (this.#waiting.length > 0) {
      const thread = this.#threads.length < this.#options.threads ? this.#idle() : null;
      if (thread === null) return;
      this.#give(thread);
    }
  }

  /** Gives an idle thread the first that it may do, with those that can be answered along. */
  #give(thread: Thread): void {
    const at = this.#waiting.findIndex((waiting) => this.#suits(thread, waiting));
    if (at < 0) {
      const behind = this.#waiting
        .map(({ asked }) => folderOf(asked))
        .find((each) => each !== null);
      if (behind) load(thread, behind);
      return;
    }
    const [first] = this.#waiting.splice(at, 1);
    const together = [first];
    if (isSmall(first)) {
      for (let next = at; next < this.#waiting.length && together.length < MOST_TOGETHER; ) {
        const waiting = this.#waiting[next];
        if (isSmall(waiting) && folderOf(waiting.asked) === folderOf(first.asked)) {
          together.push(...this.#waiting.splice(next, 1));
        } else next++;
      }
    }
    for (const { bytes } of together) this.#waitingBytes -= bytes;
    const folder = folderOf(first.asked);
    if (folder !== null) thread.loaded.add(folder);
    thread.busy = together;
    thread.isLong = isLong(first);
    post(thread.worker, { kind: "answer", asked: together.map(({ asked }) => asked) });
  }

  #suits(thread: Thread, waiting: Waiting): boolean {
    const { threads } = this.#options;
    if (isLong(waiting) && threads > 1) {
      const long = this.#threads.filter(({ busy, isLong: long }) => busy !== null && long).length;
      if (long >= threads - 1) return false;
    }
    const folder = folderOf(waiting.asked);
    return (
      folder === null ||
      thread.loaded.has(folder) ||
      !this.#threads.some(({ loaded }) => loaded.has(folder))
    );
  }

  #start(): Thread {
    const { modelBytes } = this.#options;
    const workerData: ThreadSettings = { modelBytes };
    const worker = new Worker(new URL("./serving-thread.ts", import.meta.url), { workerData });
    const thread: Thread = {
      worker,
      busy: null,
      isLong: false,
      isWarming: false,
      loaded: new Set(),
      counting: [],
    };
    this.#threads.push(thread);
    worker.on("message", (said: FromThread) => this.#hear(thread, said));
    worker.on("error", (error) => this.#lost(thread, error));
    worker.on("exit", () => this.#lost(thread, new Error("the thread has ended")));
    // An idle thread keeps no process from its end.
    worker.unref();
    return thread;
  }

  #hear(thread: Thread, said: FromThread): void {
    if ("counted" in said) {
      this.#counted.push(...said.counted);
      thread.counting.shift()?.();
      return;
    }
    const { outcomes, loaded } = said;
    const answered = thread.busy ?? [];
    thread.busy = null;
    thread.isWarming = false;
    thread.loaded = new Set(loaded);
    this.#dispatch();
    this.#warmNext();
    for (const [at, { resolve, reject }] of answered.entries()) {
      const outcome = outcomes[at];
      if ("value" in outcome) resolve(outcome.value);
      else reject(revived(outcome.thrown, this.#options.revive));
    }
  }

  /** What it did fails; another thread takes its place when there is work. */
  #lost(thread: Thread, cause: unknown): void {
    const at = this.#threads.indexOf(thread);
    if (at < 0) return;
    this.#threads.splice(at, 1);
    for (const told of thread.counting) told();
    for (const { reject } of thread.busy ?? []) {
      reject(new TaskFailedError("The thread that answered has ended.", { cause }));
    }
    if (!this.#closed) this.#dispatch();
  }
}

function load(thread: Thread, folder: string): void {
  if (thread.loaded.has(folder)) return;
  thread.busy = [];
  thread.isLong = false;
  thread.loaded.add(folder);
  post(thread.worker, { kind: "load", folder });
}

function post(worker: Worker, message: ToThread): void {
  const given = message.kind === "answer" ? message.asked.flatMap(givenWith) : [];
  worker.postMessage(message, given.flatMap(ownMemory));
}

/** What the thread gets for itself. */
function givenWith(asked: Asked): ArrayBufferView[] {
  if (asked.kind !== "joinArrow" && asked.kind !== "joinParts") return [bodyOf(asked) ?? []].flat();
  return asked.request.parts.flatMap(({ values, intervals, sets }) => {
    const { lower, upper } = intervals?.bounds ?? {};
    return [values, lower ?? [], upper ?? [], sets?.members ?? []].flat();
  });
}

/** Smaller pieces share memory with others; copying them costs nothing. */
const OWN_BYTES = 64 * 1024;

/** The memory of a large body that is all that uses it: it changes hands without a copy. */
const ownMemory = ({ buffer, byteOffset, byteLength }: ArrayBufferView): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength > OWN_BYTES ? [buffer] : [];

const bodyOf = (asked: Asked): Uint8Array | null =>
  asked.kind === "check" ? asked.body : "body" in asked.request ? asked.request.body : null;

const folderOf = (asked: Asked): string | null =>
  asked.kind === "check" ? null : asked.request.folder;

const isSmall = ({ asked, bytes }: Waiting): boolean =>
  asked.kind === "predictBody" && bytes <= SMALL_BYTES;

const isLong = ({ asked, bytes }: Waiting): boolean =>
  LONG.has(asked.kind) || bytes > 16 * SMALL_BYTES;

/** What takes long, or what nobody waits for. */
const LONG: ReadonlySet<Asked["kind"]> = new Set([
  "explain",
  "explainBody",
  "compareBody",
  "compareInfer",
]);

const overloaded = (): Problem =>
  new Problem("unavailable", "Too many requests for predictions wait; try again.", {
    headers: { "retry-after": "1" },
  });
