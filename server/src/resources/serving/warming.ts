/**
 * Models that endpoints or aliases lead to, loaded before the first request: when the process starts, and
 * when an endpoint, an alias or a version of a name changes in any process. It happens behind what changes
 * them, which neither waits for it nor fails with it.
 */

import type { Services } from "../../api/services.ts";
import {
  aliasedModels,
  findTrainedModel,
  localModels,
  organizationsWithAliases,
} from "../models/service.ts";
import { organizationsThatServe, servedReferences } from "./store.ts";

/** So many models of an organization, those that were changed latest. */
const MOST_OF_ORGANIZATION = 32;

export class Warming {
  readonly #services: Services;
  readonly #due = new Set<string>();
  readonly #unwatch: () => void;
  #work: Promise<void> | null = null;
  #closed = false;

  constructor(services: Services) {
    this.#services = services;
    this.#unwatch = services.modelChanges.watch((organizationId) => {
      if (organizationId === null) this.#begin(() => this.#all());
      else this.#begin(async () => [organizationId]);
    });
    this.#begin(() => this.#all());
  }

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unwatch();
    await this.#work;
  }

  async #all(): Promise<readonly string[]> {
    const { db } = this.#services;
    return [...(await organizationsThatServe(db)), ...(await organizationsWithAliases(db))];
  }

  #begin(find: () => Promise<readonly string[]>): void {
    this.#work = this.#after(this.#work, find);
  }

  async #after(before: Promise<void> | null, find: () => Promise<readonly string[]>) {
    await this.#trying(async () => {
      for (const organizationId of await find()) this.#due.add(organizationId);
    });
    // What is due now is done by whoever comes first.
    await before;
    for (const organizationId of this.#due) {
      this.#due.delete(organizationId);
      if (!this.#closed) await this.#trying(() => this.#warm(organizationId));
    }
  }

  async #trying(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      // The first request loads what was not loaded ahead, or is told why it cannot be.
      const reason = error instanceof Error ? error.message : String(error);
      this.#services.log.debug({ reason }, "models were not loaded ahead");
    }
  }

  async #warm(organizationId: string): Promise<void> {
    const { db, compute, config } = this.#services;
    const served = await servedReferences(db, organizationId);
    const references = new Set([...served, ...(await aliasedModels(db, organizationId))]);
    let bytes = 0;
    for (const reference of [...references].slice(0, MOST_OF_ORGANIZATION)) {
      const model = await findTrainedModel(db, organizationId, reference);
      if (model?.status !== "completed") continue;
      bytes += model.files.reduce((total, file) => total + file.bytes, 0);
      // More would take the place of what was loaded first.
      if (bytes > config.modelCacheBytes || this.#closed) return;
      const { id, files } = model;
      compute.warmModel(await localModels(this.#services).folder(organizationId, id, files));
    }
  }
}
