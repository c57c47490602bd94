/**
 * What the thread that holds a device does from its begin to its end. Its loop is free for the device's
 * answers, whatever the threads of the fits are at.
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type AdapterFacts, chooseAdapter, NoDeviceError } from "./adapters.ts";
import { type Crossovers, crossoversOf } from "./crossover.ts";
import { DeskService, type LaneOpening, type Wrap } from "./desk-service.ts";
import { Device, type DeviceOptions } from "./device.ts";
import { DeviceHeldError, devicesFolder, lockDevice } from "./device-lock.ts";
import type { AdapterChoice } from "./device-settings.ts";
import { restBetweenTurns } from "./patient-turns.ts";
import type { Sent } from "./work-queue.ts";

export interface DeskThreadOptions extends AdapterChoice, DeviceOptions {
  /** Where locks and what was measured of devices are kept; absent: in the machine's temporary folder. */
  readonly folder: string | undefined;
  /** The module that it runs, as it was given. */
  readonly module: string;
}

/** What the thread is told. */
export type ToDesk =
  | { readonly open: LaneOpening & { readonly laneId: number } }
  | { readonly close: true };

/** Buffers that a device holds, and what it was sent since its begin. */
export type Held = Device["held"] & Sent;

/** What it tells. */
export type FromDesk =
  /** And what is worth the way. */
  | { readonly ready: AdapterFacts; readonly crossovers: Crossovers }
  /** And which adapter another has, where that is why. */
  | { readonly failed: string; readonly heldAdapter: string | null }
  | { readonly lost: string }
  | { readonly refused: { readonly laneId: number; readonly reason: string } }
  | { readonly ended: { readonly laneId: number; readonly held: Held } };

const LEAVING_MS = 3000;

const tell = (message: FromDesk): void => parentPort?.postMessage(message);

/** Lanes that are served. */
const served = new Set<Promise<void>>();

/** Waits for what the device still owes: Dawn aborts a process that leaves it with promises open. */
async function leave(service: DeskService): Promise<void> {
  service.close();
  await Promise.race([Promise.allSettled(served), sleep(LEAVING_MS)]);
  // Dawn's own threads would keep this one alive.
  process.exit(0);
}

/** Opens the device that the thread was started for, and answers. @param wrap what tests change of answers */
export async function workDesk(wrap?: Wrap): Promise<void> {
  try {
    await openDesk(wrap);
  } catch (error) {
    if (!(error instanceof NoDeviceError)) throw error;
    const heldAdapter = error instanceof DeviceHeldError ? error.adapter : null;
    tell({ failed: error.message, heldAdapter });
    process.exit(0);
  }
}

async function openDesk(wrap?: Wrap): Promise<void> {
  const options = workerData as DeskThreadOptions;
  const { folder = devicesFolder() } = options;
  const chosen = await chooseAdapter(options);
  if (chosen.facts.isSoftware) restBetweenTurns();
  const lock = lockDevice(chosen.facts.name, folder);
  // A thread that hangs holds its device on.
  process.once("exit", () => lock.release());
  const device = await Device.open(chosen, options);
  const service = new DeskService(device, wrap);
  process.once("exit", () => service.closeLanes());
  device.lost.then((reason) => tell({ lost: reason }));
  parentPort?.on("message", (message: ToDesk) => {
    if ("close" in message) {
      void leave(service);
      return;
    }
    const { laneId, ...opening } = message.open;
    const serving = service
      .serve(opening, (reason) => tell({ refused: { laneId, reason } }))
      .finally(() => {
        tell({ ended: { laneId, held: { ...device.held, ...device.sent } } });
        served.delete(serving);
      });
    served.add(serving);
  });
  tell({ ready: device.facts, crossovers: await crossoversOf(device, folder) });
}
