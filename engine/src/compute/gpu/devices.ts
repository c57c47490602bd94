/** The devices of a pool: opened by the first fit that is large enough, shared by the pools of a process. */

import { Arena } from "../arena.ts";
import { NoDeviceError } from "./adapters.ts";
import { type AnnouncedDevices, type DeskState, DeviceAnnouncer } from "./announced-devices.ts";
import { GpuDesk } from "./desk.ts";
import type { DeviceLender } from "./device-loan.ts";
import { DeviceHeldError, devicesFolder, holderOf } from "./device-lock.ts";
import type { DeskOptions, DeviceName, DeviceSettings } from "./device-settings.ts";
import { type OpenedDesks, RunDevice } from "./run-device.ts";

interface SharedDesk {
  desk: Promise<GpuDesk>;
  holders: number;
  state: DeskState;
  /** The adapter that another had when it was to be opened; null else. */
  heldAdapter: string | null;
}

/** Desks of this process, by what was asked for, and how many hold each. */
const desks = new Map<string, SharedDesk>();

interface HeldDesk {
  readonly key: string;
  readonly options: DeskOptions;
  readonly shared: SharedDesk;
}

export class Devices {
  readonly #settings: DeviceSettings;
  #held: readonly HeldDesk[] | null = null;
  #announcer: DeviceAnnouncer | null = null;

  constructor(settings: DeviceSettings = {}) {
    this.#settings = settings;
  }

  /** What a run asks for where it says nothing itself. */
  get device(): DeviceName {
    return this.#settings.device ?? "auto";
  }

  /** The part of devices in one run. @param asked by the run; absent: as the process was told */
  forRun(asked: DeviceName = this.device): RunDevice {
    return new RunDevice(asked, this.#settings, () => this.#desks());
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

  /** Looks what there is, without opening any: a process of its own asks the drivers. */
  async probe(): Promise<void> {
    this.#announcer ??= await DeviceAnnouncer.open(this.#choices, this.#settings);
  }

  /** What this process has, and what it is at now. Nothing before `probe`. */
  get announced(): AnnouncedDevices {
    const stateOf = (choice: DeskOptions): DeskState => desks.get(keyOf(choice))?.state ?? null;
    return this.#announcer?.look(stateOf) ?? { devices: [], missing: [] };
  }

  async close(): Promise<void> {
    const held = this.#held ?? [];
    this.#held = null;
    await Promise.all(held.map(release));
  }

  get #choices(): readonly DeskOptions[] {
    const { also = [], ...first } = this.#settings;
    return [first, ...also.map((other) => ({ ...first, ...other }))];
  }

  /** @throws NoDeviceError where none opens */
  async #desks(): Promise<OpenedDesks> {
    this.#held ??= [...new Map(this.#choices.map((each) => [keyOf(each), each]))].map(hold);
    this.#held.forEach(openFreed);
    const opened = await Promise.allSettled(this.#held.map(({ shared }) => shared.desk));
    const there = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const missing = opened.flatMap((each) => (each.status === "rejected" ? [reasonOf(each)] : []));
    if (there.length === 0) throw new NoDeviceError([...new Set(missing)].join(" "));
    return { desks: there, missing: missing.map((reason) => reason.replace(/\.$/, "")) };
  }
}

/** Of what a task has for the device: bins of some rows, and trees. */
const LOAN_BYTES = 2 ** 30;

const keyOf = ({ name, folder }: DeskOptions): string =>
  JSON.stringify([name ?? null, folder ?? null]);

function hold([key, options]: [string, DeskOptions]): HeldDesk {
  const shared = desks.get(key) ?? opening(options);
  shared.holders++;
  desks.set(key, shared);
  return { key, options, shared };
}

function opening(options: DeskOptions): SharedDesk {
  const desk = GpuDesk.open(options);
  const shared: SharedDesk = { desk, holders: 0, state: null, heldAdapter: null };
  watch(shared);
  return shared;
}

/** Opens it once more where whoever had it is over. */
function openFreed({ options, shared }: HeldDesk): void {
  const { heldAdapter } = shared;
  if (heldAdapter === null) return;
  if (holderOf(heldAdapter, options.folder ?? devicesFolder()) !== null) return;
  shared.heldAdapter = null;
  shared.desk = GpuDesk.open(options);
  watch(shared);
}

function watch(shared: SharedDesk): void {
  shared.desk.then(
    (desk) => {
      shared.state = { desk };
    },
    // Whoever waits for the desk is told as well.
    (error: unknown) => {
      if (error instanceof DeviceHeldError) shared.heldAdapter = error.adapter;
      else shared.state = { failure: error instanceof Error ? error.message : String(error) };
    },
  );
}

async function release({ key, shared }: HeldDesk): Promise<void> {
  if (--shared.holders > 0) return;
  desks.delete(key);
  await shared.desk.then(
    (opened) => opened.close(),
    () => undefined,
  );
}

/** @throws what is no matter of devices */
function reasonOf({ reason }: PromiseRejectedResult): string {
  if (reason instanceof NoDeviceError) return reason.message;
  throw reason;
}
