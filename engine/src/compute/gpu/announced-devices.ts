/** What a process has of devices and what they are at, for those who choose between processes. */

import process from "node:process";
import { devicesFolder, holderOf } from "./device-lock.ts";
import type { DeskOptions, DeviceName, DeviceSettings } from "./device-settings.ts";
import { type Probed, probeAdapters } from "./probe.ts";
import { hasTensorFlow, TENSORFLOW } from "./run-device.ts";

/** What a run may ask for by name that not every process has. */
export type ScarceDevice = Exclude<DeviceName, "auto" | "wasm">;

/**
 * `free`: fits may have it; `busy`: they have; `held`: another process of this machine has it, and the first fit
 * after that one may; `gone`: it was lost, or did not open, and is not tried again.
 */
export type DeviceState = "free" | "busy" | "held" | "gone";

/** A device of a process. */
export interface AnnouncedDevice {
  /** What a run asks for to get it. */
  readonly device: ScarceDevice;
  /** Of the adapter, or the package. */
  readonly name: string;
  /** `vulkan`, `metal`, `d3d12`; null where that is not known. */
  readonly backend: string | null;
  /** As far as it tells; empty where it does not. */
  readonly driver: string;
  /** It computes on the CPU. */
  readonly isSoftware: boolean;
  /** Bytes of one buffer, at most; null where that is not known. */
  readonly maxBufferBytes: number | null;
  readonly state: DeviceState;
  /** Why it is held or gone; null else. */
  readonly reason: string | null;
}

/** All that a process has, and a sentence for each that it looked for and has not. */
export interface AnnouncedDevices {
  readonly devices: readonly AnnouncedDevice[];
  readonly missing: readonly string[];
}

/** What became of a device since somebody asked for it. */
export type DeskState =
  | { readonly desk: { readonly gone: string | null; readonly load: number } }
  | { readonly failure: string }
  /** It was not asked for, is being opened, or another process had it. */
  | null;

/** Looked for once; what they are at is as of each look. */
export class DeviceAnnouncer {
  readonly #choices: readonly DeskOptions[];
  readonly #probed: readonly Probed[];
  /** The package; null where it is not installed. */
  readonly #tensorflow: string | null;

  private constructor(
    choices: readonly DeskOptions[],
    probed: readonly Probed[],
    tensorflow: string | null,
  ) {
    this.#choices = choices;
    this.#probed = probed;
    this.#tensorflow = tensorflow;
  }

  static async open(
    choices: readonly DeskOptions[],
    { tensorflow = TENSORFLOW }: Pick<DeviceSettings, "tensorflow">,
  ): Promise<DeviceAnnouncer> {
    const probed = await probeAdapters(choices);
    return new DeviceAnnouncer(choices, probed, hasTensorFlow(tensorflow) ? tensorflow : null);
  }

  /** @param stateOf what became of the device of a choice in this process */
  look(stateOf: (choice: DeskOptions) => DeskState): AnnouncedDevices {
    const missing: string[] = [];
    const devices = new Map<string, AnnouncedDevice>();
    this.#probed.forEach((probed, at) => {
      if ("missing" in probed) {
        missing.push(probed.missing);
        return;
      }
      const choice = this.#choices[at]!;
      const { name, backend, description, isSoftware, maxBufferSize } = probed.adapter;
      if (devices.has(name)) return;
      devices.set(name, {
        ...{ device: "webgpu", name, backend, driver: description, isSoftware },
        maxBufferBytes: maxBufferSize,
        ...stateNow(name, stateOf(choice), choice.folder ?? devicesFolder()),
      });
    });
    if (this.#tensorflow !== null) {
      devices.set(this.#tensorflow, {
        ...{ device: "tensorflow", name: this.#tensorflow, backend: null, driver: "" },
        ...{ isSoftware: false, maxBufferBytes: null, state: "free", reason: null },
      });
    }
    return { devices: [...devices.values()], missing: [...new Set(missing)] };
  }
}

function stateNow(
  name: string,
  ours: DeskState,
  folder: string,
): Pick<AnnouncedDevice, "state" | "reason"> {
  if (ours !== null && "desk" in ours) {
    const { gone, load } = ours.desk;
    if (gone !== null) return { state: "gone", reason: gone };
    return { state: load > 0 ? "busy" : "free", reason: null };
  }
  if (ours !== null) return { state: "gone", reason: ours.failure };
  const holder = holderOf(name, folder);
  if (holder === null || holder === process.pid) return { state: "free", reason: null };
  return { state: "held", reason: `another process of this machine (${holder}) has it` };
}
