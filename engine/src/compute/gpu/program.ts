/** What a device can be asked: programs, each with requests of its own. `desk-service.ts` lists them. */

import type { Device } from "./device.ts";

/** Where the requests of one lane come from. */
export interface Scene {
  readonly device: Device;
  /** The arena that requests point into; its bytes as they are now. */
  bytes(): ArrayBufferLike;
  /** Data of the arena that stays as it is while the arena is: uploaded once for all lanes. */
  resident(pointer: number, bytes: number): Promise<GPUBuffer>;
}

/** What a program holds on the device for one lane. */
export interface Session {
  /**
   * Rejects where the device cannot; the fit then does it by itself.
   *
   * @param values of the request
   * @param answer shared memory, which the fit has made large enough
   */
  answer(request: number, values: Uint32Array, answer: Uint8Array): Promise<void>;
  close(): void;
}

export interface Program {
  /** Numbers of its requests: from here to below `end`. */
  readonly from: number;
  readonly end: number;
  open(scene: Scene): Session;
}

/** Workgroups that share any work: several for each multiprocessor of a large device, or one for each thread of a CPU. */
const MOST_GROUPS = 2048;
const SOFTWARE_GROUPS = 4;

/** Workgroups of a shader that takes one unit after another, of which each fit of a dispatch has so many at most. */
export function groupsOf({ facts }: Device, units: number, fits = 1): number {
  const most = facts.isSoftware ? SOFTWARE_GROUPS : MOST_GROUPS;
  return Math.max(1, Math.min(Math.floor(most / fits), units));
}
