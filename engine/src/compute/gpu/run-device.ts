/** What devices do for one run, and the sentences that say so. */

import { createRequire } from "node:module";
import type { ArenaHandle } from "../arena.ts";
import { NoDeviceError } from "./adapters.ts";
import type { GpuDesk } from "./desk.ts";
import type { DeviceName, DeviceSettings, NetworkWork } from "./device-settings.ts";
import { type DeskRecord, openRunLane, type RunLane } from "./run-lane.ts";

/** Where `webgpu` is asked for, nodes of so many cells go there even if the CPU is as fast. */
const ASKED_CELLS = 2 ** 18;
/** `auto` looks for a device where a fit has so many cells: no way to a device is worth it for fewer. */
const AUTO_CELLS = 2 ** 20;
/** Likewise where a network takes so many multiplications: half a second of one thread. */
const AUTO_MULTIPLICATIONS = 2 ** 33;

export const TENSORFLOW = "@tensorflow/tfjs-node-gpu";

/** Whether the package is installed. What it needs beside is seen when it loads. */
export function hasTensorFlow(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** The devices that opened, and why others did not. */
export interface OpenedDesks {
  readonly desks: readonly GpuDesk[];
  readonly missing: readonly string[];
}

export class RunDevice {
  readonly asked: DeviceName;
  readonly #settings: DeviceSettings;
  readonly #open: () => Promise<OpenedDesks>;
  /** Why the CPU does all; null while nothing speaks against a device. */
  #refusal: string | null;
  #hasTakenPart = false;
  #hasTrained = false;
  #opened: OpenedDesks | null = null;
  readonly #records: DeskRecord[][] = [];

  /** @param open throws NoDeviceError where there is no device at all */
  constructor(asked: DeviceName, settings: DeviceSettings, open: () => Promise<OpenedDesks>) {
    this.asked = asked;
    this.#settings = settings;
    this.#open = open;
    this.#refusal =
      asked === "tensorflow" && !hasTensorFlow(this.#package)
        ? `the CPU computes: the optional package ${this.#package} is not installed`
        : null;
  }

  /**
   * A lane for a fit of so many cells; null where the CPU does it.
   *
   * @param given the arena, or what makes one
   * @param network what is trained; absent: it is trees
   */
  async laneFor(
    given: ArenaHandle | (() => ArenaHandle),
    cells: number,
    network?: NetworkWork,
  ): Promise<RunLane | null> {
    if (this.asked === "wasm" || this.asked === "tensorflow") return null;
    if (this.#refusal !== null) return null;
    if (this.#isTooSmall(cells, network)) return null;
    try {
      this.#opened ??= await this.#open();
    } catch (error) {
      if (!(error instanceof NoDeviceError)) throw error;
      this.#refusal = `the CPU computes: ${error.message.replace(/\.$/, "")}`;
      return null;
    }
    const { desks } = this.#opened;
    const reasons = desks.map((desk) => this.#whyNot(desk, network));
    if (!reasons.includes(null)) {
      this.#refusal = `the CPU computes: ${[...new Set(reasons)].join("; ")}`;
      return null;
    }
    const worth = new Map<GpuDesk, number>();
    desks.forEach((desk, i) => {
      const least = reasons[i] === null ? this.#leastCells(desk, network) : null;
      if (least !== null && cells >= least) worth.set(desk, least);
    });
    const mayPass = network === undefined;
    const tell = (records: readonly DeskRecord[]): void => {
      this.#records.push([...records]);
    };
    const lane = openRunLane({
      ...{ desks: worth, given, mayPass, tell },
      isAsked: this.asked === "webgpu",
    });
    if (lane === null) return null;
    if (network) this.#hasTrained = true;
    else this.#hasTakenPart = true;
    return lane;
  }

  /** Whether no device is looked for because of this fit. */
  #isTooSmall(cells: number, network?: NetworkWork): boolean {
    if (this.asked !== "auto") return false;
    return network ? network.all < AUTO_MULTIPLICATIONS : cells < AUTO_CELLS;
  }

  /**
   * What one fit has settled, for the run's log and the model's card, whatever other fits have; null where nothing.
   *
   * @param takesPart whether a device does in this fit
   */
  settledBy(takesPart: boolean, cells: number, network?: NetworkWork): string | null {
    if (takesPart) return network ? this.networksSettled : this.settled;
    return this.#hasTakenPart || this.#isTooSmall(cells, network) ? null : this.#refusal;
  }

  /** The package that trains a network; null: none does. */
  tensorflowFor(network: NetworkWork | undefined): string | null {
    if (this.asked !== "tensorflow" || this.#refusal !== null || !network) return null;
    this.#hasTrained = true;
    return this.#package;
  }

  get #package(): string {
    return this.#settings.tensorflow ?? TENSORFLOW;
  }

  /** Why a device takes no part in any fit like this one; null: it may. */
  #whyNot({ crossovers, facts, gone }: GpuDesk, network?: NetworkWork): string | null {
    if (gone !== null) return `the GPU ${facts.name} is gone (${gone})`;
    if (this.asked === "webgpu" || this.#settings.leastCells !== undefined) return null;
    if (facts.isSoftware) return `the GPU adapter ${facts.name} is software`;
    if (network || crossovers.cells !== Number.POSITIVE_INFINITY) return null;
    return `it is as fast as the GPU ${facts.name}`;
  }

  /** Cells of a node from which on the device is worth the way; null: of no node of this fit. */
  #leastCells({ crossovers }: GpuDesk, network?: NetworkWork): number | null {
    const { leastCells } = this.#settings;
    const { cells, multiplications } = crossovers;
    if (leastCells !== undefined) return leastCells;
    if (this.asked === "webgpu") return network ? ASKED_CELLS : Math.min(cells, ASKED_CELLS);
    if (!network) return cells;
    return network.step >= multiplications ? 0 : null;
  }

  /** What the fits so far have settled; null where they have nothing. */
  get settled(): string | null {
    if (!this.#hasTakenPart) return this.#refusal;
    return `${this.#names} was there for large nodes of trees; the models are the CPU's, byte for byte${this.#without}`;
  }

  /** What was said of networks so far, likewise; null where no device was given any. */
  get networksSettled(): string | null {
    if (!this.#hasTrained) return null;
    const trainer = this.#opened === null ? `tensorflow (${this.#package})` : `${this.#names}`;
    return `${trainer} trained networks: the bits of those whose facts name it depend on it${this.#without}`;
  }

  /** Of all devices that fits may go to. */
  get #names(): string {
    const desks = this.#opened?.desks ?? [];
    const names = desks.map(({ facts }) => `${facts.name} (${facts.description})`);
    return [...new Set(names)].join(" and ");
  }

  /** Of devices that were asked for beside others and are not there. */
  get #without(): string {
    const missing = this.#opened?.missing ?? [];
    return missing.length === 0 ? "" : `; not used: ${missing.join("; ")}`;
  }

  /** Where no fit has settled it; null where nothing was asked for. */
  get unsettled(): string | null {
    if (this.asked === "webgpu") return "the CPU computes: no fit was large enough for the GPU";
    // What a fit has settled stands in the log, if the model has to do with the fit.
    if (this.asked !== "tensorflow") return null;
    return this.#refusal ?? "the CPU computes: tensorflow is for networks, and no fit was of one";
  }

  /** What the devices did for the fits of this process; null where they did nothing. */
  get report(): string | null {
    return this.reportOf("fits");
  }

  /** The same, of what else it was. */
  reportOf(what: string): string | null {
    const records = this.#records.flat();
    if (this.#opened === null || records.length === 0) return null;
    const parts = this.#opened.desks.flatMap((desk) => {
      const own = records.filter((record) => record.desk === desk);
      if (own.length === 0) return [];
      const sum = (of: (record: DeskRecord) => number): number =>
        own.reduce((total, record) => total + of(record), 0);
      return `${desk.facts.name}: ${sum(({ answered }) => answered)} requests of ${own.length} ${what} in ${sum(({ seconds }) => seconds).toFixed(1)} s`;
    });
    parts.push(`device: ${this.asked}`);
    const reasonsOf = (chosen: readonly DeskRecord[]): string =>
      [...new Set(chosen.flatMap(({ reasons }) => reasons))].join("; ");
    const alone = reasonsOf(records.filter(({ isPassedOn }) => !isPassedOn));
    const passed = reasonsOf(records.filter(({ isPassedOn }) => isPassedOn));
    if (passed !== "") parts.push(`another device went on where ${passed}`);
    if (alone !== "") parts.push(`the CPU went on alone where ${alone}`);
    return `${parts.join("; ")}${this.#without}`;
  }
}
