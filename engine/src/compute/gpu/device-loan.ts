/** A device that is lent for some work, as those know it who import the engine: none of its own types show. */

import type { ArenaHandle } from "../arena.ts";
import type { Lane } from "./lane.ts";

/** A device's part in a task of another thread: it crosses threads as it is. */
export interface DeviceLoan {
  /** @internal */
  readonly lane: Lane;
  /** @internal What the task has for the device is copied here. */
  readonly place: ArenaHandle;
}

/** A loan that is to be ended. */
export interface LentDevice {
  readonly loan: DeviceLoan;
  /** When the task is over, or its thread gone. */
  end(): Promise<void>;
}

/** Lends a device to tasks that predict. */
export interface DeviceLender {
  /** Null where the CPU predicts. */
  lend(): Promise<LentDevice | null>;
  /** What the device did for the loans that have ended, in one line; null where it did nothing. */
  readonly report: string | null;
}
