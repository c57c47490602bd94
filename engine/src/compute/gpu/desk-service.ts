/**
 * What the thread of a device does: answers the lanes of any number of fits, whose work the device may have
 * under way side by side, and keeps data that several of them read.
 */

import type { Device } from "./device.ts";
import { DeviceError } from "./device-error.ts";
import { forestProgram } from "./forest-program.ts";
import { type Answering, closeLane, type Lane, serveLane } from "./lane.ts";
import { networkProgram } from "./network-program.ts";
import type { Program, Scene, Session } from "./program.ts";
import { shapProgram } from "./shap-program.ts";
import { sumProgram } from "./sum-program.ts";
import { treeProgram } from "./tree-program.ts";

const PROGRAMS: readonly Program[] = [
  treeProgram,
  forestProgram,
  sumProgram,
  shapProgram,
  networkProgram,
];

/** What is kept of arenas that no lane is open for any more goes after so long. */
const KEPT_MS = 30_000;

interface Resident {
  readonly arenaId: number;
  readonly buffer: Promise<GPUBuffer>;
}

/** What a lane belongs to. */
export interface LaneOpening {
  readonly lane: Lane;
  readonly memory: WebAssembly.Memory;
  /** See `serveLane`. */
  readonly server: number;
}

/** Answers in place of a lane's own: for tests of what goes wrong. */
export type Wrap = (answering: Answering, device: Device) => Answering;

export class DeskService {
  readonly device: Device;
  readonly #wrap: Wrap;
  readonly #lanes = new Set<Lane>();
  readonly #residents = new Map<string, Resident>();
  /** Lanes that are open, by arena. */
  readonly #open = new Map<number, number>();
  readonly #leaving = new Map<number, NodeJS.Timeout>();

  constructor(device: Device, wrap: Wrap = (answering) => answering) {
    this.device = device;
    this.#wrap = wrap;
  }

  /** Answers a lane until it is closed. @param refused is told why a request was refused */
  async serve(
    { lane, memory, server }: LaneOpening,
    refused: (reason: string) => void,
  ): Promise<void> {
    const { arenaId } = lane;
    this.#enter(arenaId);
    this.#lanes.add(lane);
    const sessions = new Map<Program, Session>();
    const scene = this.#sceneOf(arenaId, memory);
    try {
      const answering: Answering = (request, values, answer) =>
        sessionOf(sessions, scene, request).answer(request, values, answer);
      await serveLane(lane, server, this.#wrap(answering, this.device), (error) => {
        refused(reasonOf(error));
        return !lane.mayPass || this.device.gone === null;
      });
    } finally {
      for (const session of sessions.values()) session.close();
      this.#leave(arenaId);
      this.#lanes.delete(lane);
    }
  }

  /** Of the thread that ends, whyever: nobody waits for it. Lanes that another device may serve go to that. */
  closeLanes(): void {
    for (const lane of this.#lanes) if (!lane.mayPass) closeLane(lane);
  }

  close(): void {
    for (const timeout of this.#leaving.values()) clearTimeout(timeout);
    this.device.close();
  }

  #sceneOf(arenaId: number, memory: WebAssembly.Memory): Scene {
    const { device } = this;
    return {
      device,
      bytes: () => memory.buffer,
      resident: async (pointer, bytes) => {
        const key = `${arenaId}:${pointer}:${bytes}`;
        let resident = this.#residents.get(key);
        if (resident === undefined) {
          const upload = async (): Promise<GPUBuffer> => {
            const buffer = await this.#roomFor(arenaId, bytes);
            device.write(buffer, 0, new Uint8Array(memory.buffer, pointer, bytes));
            return buffer;
          };
          resident = { arenaId, buffer: upload() };
          this.#residents.set(key, resident);
          resident.buffer.catch(() => this.#residents.delete(key));
        }
        return resident.buffer;
      },
    };
  }

  /** A buffer; data of arenas that no lane is open for makes way for it. */
  async #roomFor(arenaId: number, bytes: number): Promise<GPUBuffer> {
    try {
      return await this.device.buffer(bytes);
    } catch (error) {
      const others = [...this.#leaving.keys()].filter((id) => id !== arenaId);
      if (others.length === 0) throw error;
      for (const id of others) this.#forget(id);
      return await this.device.buffer(bytes);
    }
  }

  #enter(arenaId: number): void {
    this.#open.set(arenaId, (this.#open.get(arenaId) ?? 0) + 1);
    clearTimeout(this.#leaving.get(arenaId));
    this.#leaving.delete(arenaId);
  }

  #leave(arenaId: number): void {
    const left = (this.#open.get(arenaId) ?? 1) - 1;
    if (left > 0) {
      this.#open.set(arenaId, left);
      return;
    }
    this.#open.delete(arenaId);
    this.#leaving.set(
      arenaId,
      setTimeout(() => this.#forget(arenaId), KEPT_MS),
    );
  }

  #forget(arenaId: number): void {
    clearTimeout(this.#leaving.get(arenaId));
    this.#leaving.delete(arenaId);
    for (const [key, resident] of this.#residents) {
      if (resident.arenaId !== arenaId) continue;
      this.#residents.delete(key);
      resident.buffer.then(
        (buffer) => this.device.release(buffer),
        () => undefined,
      );
    }
    if (this.#open.size === 0) this.device.trim();
  }
}

function sessionOf(sessions: Map<Program, Session>, scene: Scene, request: number): Session {
  const program = PROGRAMS.find(({ from, end }) => request >= from && request < end);
  if (program === undefined) throw new DeviceError(`there is no request ${request}`);
  let session = sessions.get(program);
  if (session === undefined) {
    session = program.open(scene);
    sessions.set(program, session);
  }
  return session;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.split("\n", 1)[0]! : String(error);
}
