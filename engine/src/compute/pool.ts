/**
 * The pool of worker threads that all CPU-bound work runs in, so that the loop which serves
 * requests and sends heartbeats is never blocked. A task is plain data for a named export of one
 * module; shared memory crosses by reference.
 */

import { availableParallelism } from "node:os";
import { move, Piscina } from "piscina";
import type { ArenaHandle } from "./arena.ts";
import type { HelpInput } from "./crew.ts";
import {
  type CrewDesk,
  callHelper,
  endDesk,
  HelperLostError,
  loseHelper,
  MOST_HELPERS,
} from "./crew-desk.ts";
import { collectArrays, collectReleasedArrays } from "./garbage.ts";
import type { DeviceLender } from "./gpu/device-loan.ts";
import type { DeviceSettings } from "./gpu/device-settings.ts";
import { Devices } from "./gpu/devices.ts";
import { threadProcessorTime } from "./thread-time.ts";
import { describeThrown, type ThrownError } from "./thrown.ts";
import { Turns } from "./turns.ts";

/** Said with an outcome. */
interface Timed {
  /** Of the first task of a thread: milliseconds since 1970, when it had loaded its module. */
  readonly began?: number;
  /** Of a task that took a while, where the runtime tells what a thread works. */
  readonly took?: TaskTime;
}

/** What a task took of its thread, in seconds. */
export interface TaskTime {
  readonly wall: number;
  readonly processor: number;
}

type Outcome<Output> =
  | ({ readonly value: Output } & Timed)
  | ({ readonly thrown: ThrownError } & Timed)
  /** Bytes that were handed over stand alone. */
  | (Output & Uint8Array);

/** A task that may have held a large table. */
const LONG_MS = 100;
/** One beside which a collection takes next to nothing. */
const VERY_LONG_MS = 2000;

/** Threads have one origin of time in common only by the calendar's. */
const timeNow = (): number => performance.timeOrigin + performance.now();

/** Of this thread: whether it has begun a task, and what the last one took. */
let isNew = true;
let lastMs = 0;

function timeSince(begun: number, worked: number | null): Pick<Timed, "took"> {
  const wall = (performance.now() - begun) / 1000;
  const now = threadProcessorTime();
  if (worked === null || now === null || 1000 * wall < LONG_MS) return {};
  return { took: { wall, processor: (now - worked) / 1000 } };
}

/** Makes a function a task: what a worker module exports. */
export function task<Input, Output>(
  action: (input: Input) => Output | Promise<Output>,
): (input: Input) => Promise<object> {
  return async (input) => {
    const begun = performance.now();
    const worked = threadProcessorTime();
    const first: Timed = isNew ? { began: timeNow() } : {};
    isNew = false;
    // What the last task was given and gave is let go of by now alone.
    if (lastMs > VERY_LONG_MS) collectReleasedArrays();
    try {
      const value = await action(input);
      // Bytes change hands without a copy, which would hold the loop that awaits them.
      return value instanceof Uint8Array && ownMemory(value) !== null
        ? move(value)
        : { value, ...first, ...timeSince(begun, worked) };
    } catch (error) {
      return { thrown: describeThrown(error), ...first };
    } finally {
      // A look at the memory costs more than the shortest tasks, and these leave little.
      lastMs = performance.now() - begun;
      if (lastMs > LONG_MS) collectArrays();
    }
  };
}

/** Smaller pieces share memory with others; copying them costs nothing. */
const OWN_BYTES = 64 * 1024;

/** The memory of bytes that are all that uses it; null where others may, or where it is shared. */
function ownMemory(bytes: Uint8Array): ArrayBuffer | null {
  const { buffer, byteOffset, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength > OWN_BYTES
    ? buffer
    : null;
}

/** A task threw what no caller knows by class; what a system says of it, such as `ENOSPC`, stays its `code`. */
export class TaskFailedError extends Error {
  override readonly name = "TaskFailedError";

  constructor(message: string, code?: unknown) {
    super(message);
    if (typeof code === "string") Object.assign(this, { code });
  }
}

/** Rebuilds an error of a known class; undefined for others, which become TaskFailedError. */
export type ReviveError = (thrown: ThrownError) => Error | undefined;

/** The error that plain data describe. */
export function revived(thrown: ThrownError, revive: ReviveError): Error {
  const error = revive(thrown) ?? new TaskFailedError(thrown.message, thrown.members["code"]);
  if (thrown.stack !== undefined) error.stack = thrown.stack;
  return error;
}

export interface TaskOptions {
  /** Aborting stops the thread that runs the task; its arena must not be used afterwards. */
  readonly signal?: AbortSignal;
  /**
   * Bytes of the input that the caller gives away: large ones change hands without a copy, and are
   * gone here. They must be all that uses their memory.
   */
  readonly given?: readonly Uint8Array[];
  /** Of a task that shares its work: threads that nothing else is asked of help it. */
  readonly crew?: CrewCall;
  /** Called before the outcome is given, of a task that took a tenth of a second or more. */
  readonly onTime?: (took: TaskTime) => void;
}

/** What helpers of a task are told. */
export interface CrewCall {
  /** The module's task that helps, of `HelpInput`. */
  readonly name: string;
  readonly arena: ArenaHandle;
  readonly desk: CrewDesk;
}

/** A task that is helped, or would be. */
interface Helped {
  readonly call: CrewCall;
  readonly signal: AbortSignal | undefined;
  /** Places of its helpers: whether each is to stay. */
  readonly helpers: Map<number, boolean>;
  ended: boolean;
  /** What ended the first helper that was inside and did not leave by itself. */
  lost: string | null;
}

/** Of the threads of a pool. */
export interface PoolOptions {
  /**
   * How much the threads give way to others that have something to do: the niceness of Linux, 0 to 19.
   * Elsewhere than on Linux and Windows it changes nothing.
   */
  readonly niceness?: number;
  /** What takes part in fits beside the threads. */
  readonly devices?: DeviceSettings;
}

/** Places of helpers that are not called back. */
function stayingOf({ helpers }: Helped): number[] {
  return [...helpers].flatMap(([place, stays]) => (stays ? [place] : []));
}

/** Threads that run the tasks of one module, each by its name. */
export class ComputePool {
  readonly threads: number;
  /** @internal */
  readonly devices: Devices;
  readonly #piscina: Piscina;
  /**
   * Piscina is given no more tasks than it has threads: for those that wait in its own queue it starts none in the
   * place of threads that are ended.
   */
  readonly #turns: Turns;
  readonly #revive: ReviveError;
  /** Tasks that run or wait, but for those that help. */
  #tasks = 0;
  #startSeconds: number | null = null;
  readonly #helped = new Set<Helped>();

  /**
   * @param module URL of the module whose named exports are the tasks
   * @param threads ≥ 1; default one for each core
   */
  constructor(
    module: URL,
    threads = availableParallelism(),
    revive: ReviveError = () => undefined,
    { niceness = 0, devices }: PoolOptions = {},
  ) {
    this.threads = threads;
    this.devices = new Devices({ fits: threads, ...devices });
    this.#revive = revive;
    this.#turns = new Turns(threads);
    this.#piscina = new Piscina({
      filename: module.href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 30_000,
      niceIncrement: niceness,
      maxQueue: Number.POSITIVE_INFINITY,
    });
    // A task's failure rejects its own promise. What is emitted here belongs to no task: a result
    // that arrives after its task was cancelled, or the end of an idle thread, which is replaced.
    // Without a listener either would end the process.
    this.#piscina.on("error", () => undefined);
  }

  /**
   * What the last thread that was started took until it had loaded the module and began its first task, of wall
   * time; null where that is not known.
   */
  get startSeconds(): number | null {
    return this.#startSeconds;
  }

  /** Runs the module's export `name` on `input` in some thread. Rejects with what it threw. */
  async run<Input, Output>(name: string, input: Input, options: TaskOptions = {}): Promise<Output> {
    const { crew, signal } = options;
    const helped = crew
      ? { call: crew, signal, helpers: new Map(), ended: false, lost: null }
      : null;
    if (helped) this.#helped.add(helped);
    this.#tasks++;
    this.#shareThreads();
    let outcome: Outcome<Output>;
    try {
      outcome = await this.#inThread<Output>(name, input, options);
    } finally {
      this.#tasks--;
      if (helped) this.#endHelp(helped);
      this.#shareThreads();
    }
    if (outcome instanceof Uint8Array) return outcome;
    if ("value" in outcome) return outcome.value;
    const { thrown } = outcome;
    // The thread of the fit knows only that a helper is gone.
    const isLost = thrown.name === "HelperLostError" && helped?.lost != null;
    const known = isLost ? describeThrown(new HelperLostError(helped.lost)) : thrown;
    throw revived(known, this.#revive);
  }

  #inThread<Output>(
    name: string,
    input: unknown,
    { signal, given = [], onTime }: TaskOptions,
  ): Promise<Outcome<Output>> {
    const transferList = given.flatMap((bytes) => ownMemory(bytes) ?? []);
    const options = { name, ...(signal ? { signal } : {}), transferList };
    return this.#turns.take(async () => {
      const asked = timeNow();
      const outcome: Outcome<Output> = await this.#piscina.run(input, options);
      if (outcome instanceof Uint8Array) return outcome;
      const { began, took } = outcome;
      if (began !== undefined) this.#startSeconds = Math.max(0, began - asked) / 1000;
      if (took) onTime?.(took);
      return outcome;
    }, signal);
  }

  /**
   * Lends a device to tasks that predict: each has a loan in its input, and calls `withDevice`. Of tasks with one
   * loan none begins before the other has ended.
   *
   * @param cells rows × columns of all, by which it is told whether a device is worth it
   */
  deviceLender(cells: number): DeviceLender {
    return this.devices.lender(cells);
  }

  /** Sends threads that nothing is asked of to help, and calls them back where something is. */
  #shareThreads(): void {
    const helpers = [...this.#helped].flatMap(({ helpers: places }) => [...places.values()]);
    const staying = helpers.filter((stays) => stays).length;
    for (let missing = this.#tasks + staying - this.threads; missing > 0; missing--) {
      const most = this.#byHelpers().at(-1);
      const place = most && stayingOf(most).at(-1);
      if (!most || place === undefined) break;
      most.helpers.set(place, false);
      callHelper(most.call.desk, place, false);
    }
    for (let idle = this.threads - this.#tasks - helpers.length; idle > 0; idle--) {
      const [least] = this.#byHelpers().filter(({ helpers: { size } }) => size < MOST_HELPERS);
      if (!least) break;
      this.#sendHelper(least);
    }
  }

  /** Tasks that may be helped, those with the fewest helpers first. */
  #byHelpers(): Helped[] {
    const running = [...this.#helped].filter(({ ended }) => !ended);
    return running.sort((a, b) => stayingOf(a).length - stayingOf(b).length);
  }

  #sendHelper(helped: Helped): void {
    const { call, helpers, signal } = helped;
    let place = 1;
    while (helpers.has(place)) place++;
    helpers.set(place, true);
    callHelper(call.desk, place, true);
    const input: HelpInput = { arena: call.arena, desk: call.desk, place };
    const gone = (lost: string | null): void => {
      helpers.delete(place);
      if (lost !== null) {
        // Its leader, if it is still there and the helper had come in, gives the fit up. Another would end likewise.
        if (loseHelper(call.desk, place)) helped.lost ??= lost;
        helped.ended = true;
      }
      if (helped.ended && helpers.size === 0) this.#helped.delete(helped);
      this.#shareThreads();
    };
    this.#inThread<undefined>(call.name, input, signal ? { signal } : {}).then(
      (outcome) => gone("thrown" in outcome ? outcome.thrown.message : null),
      // Aborted together with its leader, or its thread has ended.
      (error: unknown) => gone(describeThrown(error).message),
    );
  }

  #endHelp(helped: Helped): void {
    helped.ended = true;
    endDesk(helped.call.desk);
    if (helped.helpers.size === 0) this.#helped.delete(helped);
  }

  /**
   * Aborts what was begun with the controller's signal, and resolves when the threads that ran it
   * are gone. New ones are started when there is work for them, which takes some tenths of a second.
   */
  async abort(controller: AbortController): Promise<void> {
    const before = this.#piscina.threads;
    controller.abort();
    const left = new Set(this.#piscina.threads);
    // Terminating a thread that is being terminated waits for its end.
    await Promise.all(before.filter((each) => !left.has(each)).map((each) => each.terminate()));
  }

  /** Ends the threads; tasks that still run are lost. */
  async close(): Promise<void> {
    this.#turns.end(new Error("The pool of threads was closed."));
    await this.#piscina.destroy();
    await this.devices.close();
  }
}
