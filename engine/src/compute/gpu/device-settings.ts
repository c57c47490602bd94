/** What a person, or who starts the process, says of devices; see `docs/decisions/gpu.md`. */

export const DEVICES = ["auto", "wasm", "webgpu", "tensorflow"] as const;

/** `auto`: the GPU where it was measured to be faster; `wasm`: the CPU. */
export type DeviceName = (typeof DEVICES)[number];

export interface AdapterChoice {
  /** Part of the adapter's name; absent: the one that the system prefers. */
  readonly name?: string | undefined;
}

export interface DeskOptions extends AdapterChoice {
  /** Of all buffers on the device; default 4 GiB. */
  readonly memoryBytes?: number | undefined;
  /** Fits that may come to it at the same time, whose data then lie side by side; default 32. */
  readonly fits?: number | undefined;
  /** Where locks and measurements lie; default in the machine's temporary folder. */
  readonly folder?: string;
  /** The module of the thread that holds the device; tests have one that fails. */
  readonly module?: URL;
}

/** Which device takes part in the fits of a pool, and in what. */
export interface DeviceSettings extends DeskOptions {
  /** Further adapters, which take fits side by side with the first; what they do not say is as of that. */
  readonly also?: readonly DeskOptions[] | undefined;
  /** Default `auto`. */
  readonly device?: DeviceName | undefined;
  /** Cells (rows × features) of a node that goes to the device at least; default by what was measured of it. */
  readonly leastCells?: number;
  /** The package that `tensorflow` stands for; default `@tensorflow/tfjs-node-gpu`. */
  readonly tensorflow?: string;
}

/** Of a fit that trains a network: multiplications of one step, and of all. */
export interface NetworkWork {
  readonly step: number;
  readonly all: number;
}
