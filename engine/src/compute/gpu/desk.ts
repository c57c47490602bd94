/**
 * The GPU of this process, as those who begin fits know it: a thread holds the device, and every fit has a
 * lane to it.
 */

import process from "node:process";
import { Worker } from "node:worker_threads";
import type { ArenaHandle } from "../arena.ts";
import { ownModule } from "../own-file.ts";
import { type AdapterFacts, NoDeviceError } from "./adapters.ts";
import type { Crossovers } from "./crossover.ts";
import type { DeskThreadOptions, FromDesk, Held, ToDesk } from "./desk-work.ts";
import { DeviceHeldError } from "./device-lock.ts";
import type { DeskOptions } from "./device-settings.ts";
import {
  closeLane,
  isOpen,
  type Lane,
  type LaneRecord,
  laneRecord,
  newLane,
  passLane,
  serverOf,
} from "./lane.ts";

/** Of all buffers of a device, unless the operator says otherwise. */
const DEVICE_MEMORY = 4 * 2 ** 30;

/** Earlier ones end with a fault where Dawn reads shared memory. */
const LEAST_NODE = 24;

/** How long opening a device may take. */
const OPENING_MS = 60_000;

/** What a device did for a fit. */
export interface DeviceRecord extends LaneRecord {
  readonly adapter: string;
  /** Why it refused or ended its part; empty where it did all it was asked. */
  readonly reasons: readonly string[];
}

/** Finds another device for a lane whose own was lost. False: there is none. */
export type PassOn = (lane: Lane, memory: WebAssembly.Memory, reason: string) => boolean;

interface OpenLane {
  readonly lane: Lane;
  readonly memory: WebAssembly.Memory;
  readonly passOn: PassOn | null;
  readonly reasons: Set<string>;
  readonly ended: PromiseWithResolvers<void>;
}

export class GpuDesk {
  readonly facts: AdapterFacts;
  /** From which sizes on the device is faster. */
  readonly crossovers: Crossovers;
  readonly #worker: Worker;
  readonly #lanes = new Map<number, OpenLane>();
  readonly #arenaIds = new WeakMap<WebAssembly.Memory, number>();
  #nextId = 1;
  #gone: string | null = null;
  #held: Held = { buffers: 0, bytes: 0, works: 0, submissions: 0 };

  private constructor(worker: Worker, { facts, crossovers }: Opened) {
    this.#worker = worker;
    this.facts = facts;
    this.crossovers = crossovers;
    worker.on("message", (message: FromDesk) => this.#hear(message));
    worker.on("error", ({ message }) => this.#lose(`its thread ended (${message})`));
    worker.on("exit", () => this.#lose("its thread ended"));
    // Nobody who forgot to close a pool waits for a device.
    worker.unref();
  }

  /** @throws NoDeviceError where there is no adapter; DeviceHeldError where another process holds it */
  static async open(options: DeskOptions = {}): Promise<GpuDesk> {
    const [version] = process.versions.node.split(".");
    if (Number(version) < LEAST_NODE) {
      throw new NoDeviceError(`A GPU needs Node ${LEAST_NODE}; this is ${process.version}.`);
    }
    const { name, folder, fits, memoryBytes = DEVICE_MEMORY } = options;
    const module = options.module ?? ownModule("desk-thread", import.meta.url);
    const href = module.href;
    const workerData: DeskThreadOptions = { name, memoryBytes, fits, folder, module: href };
    const worker = new Worker(module, { workerData, name: "gpu" });
    return new GpuDesk(worker, await opened(worker));
  }

  /** Why the device is gone; null while it is there. */
  get gone(): string | null {
    return this.#gone;
  }

  /** Buffers that the device held when a lane last ended, and what it was sent until then. */
  get held(): Held {
    return this.#held;
  }

  /** Lanes that are open. */
  get load(): number {
    return this.#lanes.size;
  }

  /**
   * A lane for one fit; null where the device is gone.
   *
   * @param leastCells of a node for the device
   * @param passOn is asked where the device is lost before the fit is over
   */
  open(
    { memory }: ArenaHandle,
    leastCells: number,
    patienceMs?: number,
    passOn: PassOn | null = null,
  ): Lane | null {
    if (this.#gone !== null) return null;
    const lane = newLane({
      leastCells,
      arenaId: this.#idOf(memory),
      adapter: this.facts.name,
      isSoftware: this.facts.isSoftware,
      mayPass: passOn !== null,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    });
    this.#serve(lane, lane, memory, passOn);
    return lane;
  }

  /** Goes on with a lane whose device was lost. False where this one is gone too. */
  adopt(lane: Lane, memory: WebAssembly.Memory, passOn: PassOn): boolean {
    if (this.#gone !== null) return false;
    passLane(lane);
    this.#serve(lane, { ...lane, arenaId: this.#idOf(memory) }, memory, passOn);
    return true;
  }

  /** @param told of the lane, to the device's thread */
  #serve(lane: Lane, told: Lane, memory: WebAssembly.Memory, passOn: PassOn | null): void {
    const laneId = this.#nextId++;
    const ended = Promise.withResolvers<void>();
    this.#lanes.set(laneId, { lane, memory, passOn, reasons: new Set(), ended });
    this.#tell({ open: { laneId, lane: told, memory, server: serverOf(lane) } });
  }

  #idOf(memory: WebAssembly.Memory): number {
    const known = this.#arenaIds.get(memory);
    if (known !== undefined) return known;
    const id = this.#nextId++;
    this.#arenaIds.set(memory, id);
    return id;
  }

  /** The fit is over: what became of its lane. */
  async end(lane: Lane): Promise<DeviceRecord> {
    closeLane(lane);
    const record = laneRecord(lane);
    const found = [...this.#lanes].find(([, open]) => open.lane === lane);
    if (record.isHung) {
      // Whoever waits for a device that hangs loses the time once.
      this.#loseHung(lane);
    }
    if (record.isWrong) this.#lose("it gave a wrong sum");
    if (this.#gone === null && found) {
      const { lane, ended } = found[1];
      // A fit that was cancelled may have left a request behind that nobody answers.
      const late = setTimeout(() => this.#loseHung(lane), lane.patienceMs);
      this.#worker.ref();
      await ended.promise;
      this.#worker.unref();
      clearTimeout(late);
    }
    const reasons = new Set(found?.[1].reasons);
    if (this.#gone !== null) reasons.add(this.#gone);
    if (found) this.#lanes.delete(found[0]);
    return { adapter: this.facts.name, ...record, reasons: [...reasons] };
  }

  async close(): Promise<void> {
    for (const { lane } of this.#lanes.values()) closeLane(lane);
    this.#lose("it was closed");
    await ended(this.#worker);
  }

  #tell(message: ToDesk): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromDesk): void {
    if ("lost" in message) this.#lose(message.lost);
    else if ("refused" in message) {
      this.#lanes.get(message.refused.laneId)?.reasons.add(message.refused.reason);
    } else if ("ended" in message) {
      this.#held = message.ended.held;
      this.#lanes.get(message.ended.laneId)?.ended.resolve();
    }
  }

  #loseHung({ patienceMs }: Lane): void {
    this.#lose(`it gave no answer within ${patienceMs / 1000} s`);
  }

  /** Fits that wait for the device go on with another, or alone. */
  #lose(reason: string): void {
    if (this.#gone !== null) return;
    this.#gone = reason;
    for (const [laneId, { lane, memory, passOn, ended }] of this.#lanes) {
      if (isOpen(lane) && passOn?.(lane, memory, reason)) this.#lanes.delete(laneId);
      else closeLane(lane);
      ended.resolve();
    }
  }
}

interface Opened {
  readonly facts: AdapterFacts;
  readonly crossovers: Crossovers;
}

/** Resolves when the thread has its device. @throws NoDeviceError where it gets none */
async function opened(worker: Worker): Promise<Opened> {
  const timeout = AbortSignal.timeout(OPENING_MS);
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  const refuse = (reason: string): void => reject(new NoDeviceError(reason));
  const hear = (message: FromDesk): void => {
    if ("ready" in message) resolve({ facts: message.ready, crossovers: message.crossovers });
    else if ("failed" in message) {
      const { failed, heldAdapter } = message;
      if (heldAdapter === null) refuse(failed);
      else reject(new DeviceHeldError(failed, heldAdapter));
    }
  };
  const fail = ({ message }: Error): void => refuse(`The GPU does not open: ${message}`);
  const end = (): void => refuse("The GPU does not open: its thread ended.");
  const late = (): void => refuse(`The GPU did not open within ${OPENING_MS / 1000} s.`);
  worker.on("message", hear).on("error", fail).on("exit", end);
  timeout.addEventListener("abort", late);
  try {
    return await promise;
  } catch (error) {
    worker.unref();
    throw error;
  } finally {
    worker.off("message", hear).off("error", fail).off("exit", end);
    timeout.removeEventListener("abort", late);
  }
}

/**
 * Has the thread let go of its device. One that hangs is left alone: ending a thread amid a call of its driver
 * would end the process.
 */
async function ended(worker: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (worker.threadId < 0) return;
  worker.once("exit", () => resolve());
  const close: ToDesk = { close: true };
  worker.postMessage(close);
  const timeout = setTimeout(resolve, CLOSING_MS);
  await promise;
  clearTimeout(timeout);
}

const CLOSING_MS = 5000;
