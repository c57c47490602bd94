/** For tests of runs that are killed. */

import type { LoggedEvent } from "../log/event-migrations.ts";
import type { RunEvent } from "../log/events.ts";
import { MemoryRunStore, modelOfArtifact } from "../log/store.ts";

/** The files of all the run's models as text, for comparing whole. */
export function modelFiles(store: MemoryRunStore): Record<string, string> {
  return Object.fromEntries(
    [...store.artifacts]
      .filter(([name]) => modelOfArtifact(name) !== null)
      .map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]),
  );
}

/** Behaves like a process that is killed while it appends one of its events. */
export class DyingStore extends MemoryRunStore {
  readonly #inner: MemoryRunStore;
  #left: number;

  constructor(inner: MemoryRunStore, appends: number) {
    super();
    this.#inner = inner;
    this.#left = appends;
  }

  override readEvents(): Promise<readonly LoggedEvent[]> {
    return this.#inner.readEvents();
  }

  override async appendEvent(event: RunEvent): Promise<void> {
    if (this.#left-- <= 0) throw new Error("killed");
    await this.#inner.appendEvent(event);
  }

  override async putArtifact(name: string, bytes: Uint8Array): Promise<void> {
    if (this.#left <= 0) throw new Error("killed");
    await this.#inner.putArtifact(name, bytes);
  }

  override getArtifact(name: string): Promise<Uint8Array> {
    return this.#inner.getArtifact(name);
  }

  override deleteArtifacts(prefix: string): Promise<void> {
    return this.#inner.deleteArtifacts(prefix);
  }
}
