/** A run's log in Postgres and its artifacts in the object store. */

import {
  type LoggedEvent,
  modelOfArtifact,
  type RunEvent,
  type RunStore,
} from "@distillery/engine";
import type { Database, Sql } from "../../platform/db/database.ts";
import { type ObjectStore, readAll } from "../../platform/objects/object-store.ts";
import { appendEvent, jobKey, readEvents } from "../jobs/service.ts";
import { modelKey } from "../models/files.ts";
import { type TrainingJobRow, trainingArea } from "./job.ts";
import { followEvent, modelIdOf } from "./job-models.ts";

/** Throws unless the caller is still the one that works the job. */
export type Fence = (sql: Sql) => Promise<void>;

/** The artifacts of a model are its directory; the rest is the job's own. */
export class JobRunStore implements RunStore {
  readonly #db: Database;
  readonly #objects: ObjectStore;
  readonly #job: TrainingJobRow;
  readonly #fence: Fence;
  #sequence = 0;

  constructor(db: Database, objects: ObjectStore, job: TrainingJobRow, fence: Fence) {
    this.#db = db;
    this.#objects = objects;
    this.#job = job;
    this.#fence = fence;
  }

  async readEvents(): Promise<readonly LoggedEvent[]> {
    const rows = await readEvents<LoggedEvent>(this.#db, this.#job.id);
    this.#sequence = rows.at(-1)?.sequence ?? 0;
    return rows.map(({ event }) => event);
  }

  async appendEvent(event: RunEvent): Promise<void> {
    const sequence = this.#sequence + 1;
    await this.#db.system(async (sql) => {
      await this.#fence(sql);
      await appendEvent(sql, this.#job, sequence, event);
      await followEvent(sql, this.#job, event);
    });
    this.#sequence = sequence;
  }

  async putArtifact(name: string, bytes: Uint8Array): Promise<void> {
    await this.#objects.put(this.#key(name), bytes);
  }

  async getArtifact(name: string): Promise<Uint8Array> {
    return readAll(this.#objects.get(this.#key(name)));
  }

  async findArtifact(name: string): Promise<Uint8Array | null> {
    const key = this.#key(name);
    return (await this.#objects.head(key)) ? readAll(this.#objects.get(key)) : null;
  }

  async deleteArtifacts(prefix: string): Promise<void> {
    await this.#objects.deletePrefix(this.#key(prefix));
  }

  #key(name: string): string {
    const file = modelOfArtifact(name);
    return file
      ? modelKey(this.#job.organization_id, modelIdOf(this.#job, file.model), file.path)
      : jobKey(trainingArea, this.#job, name);
  }
}
