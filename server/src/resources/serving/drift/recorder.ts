/**
 * Takes what the serving threads have counted to the database, where it adds up over processes and
 * restarts: by a clock, before somebody looks, and when the process ends.
 */

import type { Services } from "../../../api/services.ts";
import { addCounts, dropCounts, type HourCounts } from "./counts-store.ts";

/** What a process that is killed has counted since is lost. */
const EVERY_MS = 15_000;
/** Hours that are kept, and that can be asked for: 31 days. */
export const MOST_HOURS = 744;

type Scene = Pick<Services, "db" | "log"> & {
  readonly compute: Pick<Services["compute"], "countedRows">;
};

export class DriftRecorder {
  readonly #services: Scene;
  readonly #pending = new Map<string, HourCounts>();
  #clock: NodeJS.Timeout | null = null;
  #droppedAt = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(services: Scene) {
    this.#services = services;
  }

  start(): void {
    this.#clock ??= setInterval(() => this.#trying(), EVERY_MS);
    this.#clock.unref();
  }

  /** @throws what the database says; what was counted is kept for the next time */
  flush(): Promise<void> {
    const done = this.#work.then(() => this.#write());
    // The next one does not fail with this one.
    this.#work = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    if (this.#clock) clearInterval(this.#clock);
    await this.#trying();
  }

  async #trying(): Promise<void> {
    try {
      await this.flush();
      const hour = Math.floor(Date.now() / 3_600_000);
      if (hour === this.#droppedAt) return;
      await dropCounts(this.#services.db, MOST_HOURS);
      this.#droppedAt = hour;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#services.log.warn({ reason }, "rows that were counted for drift are not kept yet");
    }
  }

  async #write(): Promise<void> {
    const { compute, db } = this.#services;
    for (const counted of await compute.countedRows()) {
      const { endpointId, modelId, hour, counts } = counted;
      const key = `${endpointId} ${modelId} ${hour}`;
      const before = this.#pending.get(key);
      if (before) for (const [at, rows] of counts.entries()) before.counts[at]! += rows;
      else this.#pending.set(key, counted);
    }
    for (const [key, counted] of this.#pending) {
      await addCounts(db, counted);
      this.#pending.delete(key);
    }
  }
}

const instances = new WeakMap<Services, DriftRecorder>();

/** The one instance of a process's services. */
export function driftRecorder(services: Services): DriftRecorder {
  const instance = instances.get(services) ?? new DriftRecorder(services);
  instances.set(services, instance);
  return instance;
}
