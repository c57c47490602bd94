/** Which device takes part in fits: what is asked for, what there is, and one line that says why. */

import { createRequire } from "node:module";
import { Arena, type ArenaHandle } from "../arena.ts";
import { NoDeviceError } from "./adapters.ts";
import { type DeviceRecord, GpuDesk } from "./desk.ts";
import type { DeviceLender } from "./device-loan.ts";
import type { DeviceName, DeviceSettings, NetworkWork } from "./device-settings.ts";
import type { Lane } from "./lane.ts";

/** Where `webgpu` is asked for, nodes of so many cells go there even if the CPU is as fast. */
const ASKED_CELLS = 2 ** 18;
/** `auto` looks for a device where a fit has so many cells: no way to a device is worth it for fewer. */
const AUTO_CELLS = 2 ** 20;
/** Likewise where a network takes so many multiplications: half a second of one thread. */
const AUTO_MULTIPLICATIONS = 2 ** 33;

const TENSORFLOW = "@tensorflow/tfjs-node-gpu";

/** A line where the package is not installed, else null. What it needs beside is seen when it loads. */
function whyNoTensorFlow(name: string): string | null {
  try {
    createRequire(import.meta.url).resolve(name);
    return null;
  } catch {
    return `the CPU computes: the optional package ${name} is not installed`;
  }
}

/** Desks of this process, by the name that was asked for, and how many hold each. */
const desks = new Map<string, { readonly desk: Promise<GpuDesk>; holders: number }>();

/** The devices of one pool. Opened by the first fit that is large enough. */
export class Devices {
  readonly #settings: DeviceSettings;
  #held: { readonly key: string; readonly desk: Promise<GpuDesk> } | null = null;

  constructor(settings: DeviceSettings = {}) {
    this.#settings = settings;
  }

  /** What a run asks for where it says nothing itself. */
  get device(): DeviceName {
    return this.#settings.device ?? "auto";
  }

  /** The part of devices in one run. @param asked by the run; absent: as the process was told */
  forRun(asked: DeviceName = this.device): RunDevice {
    return new RunDevice(asked, this.#settings, () => this.#desk());
  }

  /** A device for tasks of so many cells in all. */
  lender(cells: number): DeviceLender {
    const run = this.forRun();
    return {
      lend: async () => {
        const found = await run.laneFor(() => Arena.create(LOAN_BYTES).handle(), cells);
        return found && { loan: { lane: found.lane, place: found.arena }, end: () => found.end() };
      },
      get report() {
        return run.reportOf("loans");
      },
    };
  }

  async close(): Promise<void> {
    if (this.#held === null) return;
    const { key, desk } = this.#held;
    this.#held = null;
    const shared = desks.get(key);
    if (shared === undefined || --shared.holders > 0) return;
    desks.delete(key);
    await desk.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }

  #desk(): Promise<GpuDesk> {
    if (this.#held === null) {
      const key = JSON.stringify([this.#settings.name ?? null, this.#settings.folder ?? null]);
      const shared = desks.get(key) ?? { desk: GpuDesk.open(this.#settings), holders: 0 };
      shared.holders++;
      desks.set(key, shared);
      this.#held = { key, desk: shared.desk };
    }
    return this.#held.desk;
  }
}

/** A lane, and what is to be said when the fit is over. */
export interface RunLane {
  readonly lane: Lane;
  readonly arena: ArenaHandle;
  end(): Promise<void>;
}

/** Of what a task has for the device: bins of some rows, and trees. */
const LOAN_BYTES = 2 ** 30;

/** What devices do for one run. */
export class RunDevice {
  readonly asked: DeviceName;
  readonly #settings: DeviceSettings;
  readonly #open: () => Promise<GpuDesk>;
  /** Why the CPU does all; null while nothing speaks against a device. */
  #refusal: string | null;
  #hasTakenPart = false;
  #hasTrained = false;
  #desk: GpuDesk | null = null;
  #records: DeviceRecord[] = [];

  constructor(asked: DeviceName, settings: DeviceSettings, open: () => Promise<GpuDesk>) {
    this.asked = asked;
    this.#settings = settings;
    this.#open = open;
    this.#refusal = asked === "tensorflow" ? whyNoTensorFlow(this.#package) : null;
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
    const isSmall = network ? network.all < AUTO_MULTIPLICATIONS : cells < AUTO_CELLS;
    if (this.asked === "auto" && isSmall) return null;
    try {
      this.#desk ??= await this.#open();
    } catch (error) {
      if (!(error instanceof NoDeviceError)) throw error;
      this.#refusal = `the CPU computes: ${error.message.replace(/\.$/, "")}`;
      return null;
    }
    const desk = this.#desk;
    const least = this.#leastCells(desk, network);
    if (least === null || cells < least) return null;
    const arena = typeof given === "function" ? given() : given;
    const lane = desk.open(arena, least);
    if (lane === null) {
      this.#refusal = `the CPU computes: the GPU ${desk.facts.name} is gone (${desk.gone})`;
      return null;
    }
    if (network) this.#hasTrained = true;
    else this.#hasTakenPart = true;
    return {
      lane,
      arena,
      end: async () => {
        this.#records.push(await desk.end(lane));
      },
    };
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

  #leastCells({ crossovers, facts }: GpuDesk, network?: NetworkWork): number | null {
    const { leastCells } = this.#settings;
    const { cells, multiplications } = crossovers;
    if (leastCells !== undefined) return leastCells;
    if (this.asked === "webgpu") return network ? ASKED_CELLS : Math.min(cells, ASKED_CELLS);
    if (facts.isSoftware) {
      this.#refusal = `the CPU computes: the GPU adapter ${facts.name} is software`;
      return null;
    }
    if (network) return network.step >= multiplications ? 0 : null;
    if (cells !== Number.POSITIVE_INFINITY) return cells;
    this.#refusal = `the CPU computes: it is as fast as the GPU ${facts.name}`;
    return null;
  }

  /** What the fits so far have settled, for the run's log and the model's card; null where they have nothing. */
  get settled(): string | null {
    if (this.#desk !== null && this.#hasTakenPart) {
      const { name, description } = this.#desk.facts;
      return `${name} (${description}) took part in growing large nodes of trees; the models are the CPU's, byte for byte`;
    }
    return this.#refusal;
  }

  /** What was said of networks so far, likewise; null where no device was given any. */
  get networksSettled(): string | null {
    if (!this.#hasTrained) return null;
    if (this.#desk === null) {
      return `tensorflow (${this.#package}) trained networks: the bits of those whose facts name it depend on it`;
    }
    const { name, description } = this.#desk.facts;
    return `${name} (${description}) trained networks: the bits of those whose facts name it depend on it`;
  }

  /** Where no fit has settled it; null where nothing was asked for. */
  get unsettled(): string | null {
    if (this.asked === "webgpu") return "the CPU computes: no fit was large enough for the GPU";
    if (this.asked !== "tensorflow") return this.#refusal;
    return this.#refusal ?? "the CPU computes: tensorflow is for networks, and no fit was of one";
  }

  /** What the device did for the fits of this process; null where it did nothing. */
  get report(): string | null {
    return this.reportOf("fits");
  }

  /** The same, of what else it was. */
  reportOf(what: string): string | null {
    const records = this.#records;
    if (this.#desk === null || records.length === 0) return null;
    const sum = (of: (record: DeviceRecord) => number): number =>
      records.reduce((total, record) => total + of(record), 0);
    const reasons = [...new Set(records.flatMap((record) => record.reasons))];
    const parts = [
      `${this.#desk.facts.name}: ${sum(({ answered }) => answered)} requests of ${records.length} ${what} in ${sum(({ seconds }) => seconds).toFixed(1)} s`,
      `device: ${this.asked}`,
      ...(reasons.length > 0 ? [`the CPU went on alone where ${reasons.join("; ")}`] : []),
    ];
    return parts.join("; ");
  }
}
