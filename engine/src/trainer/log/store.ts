/** Where a run keeps its log and its artifacts. Two stores here; the server brings its own. */

import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LoggedEvent } from "./event-migrations.ts";
import type { RunEvent } from "./events.ts";
import { makeFolder } from "./make-folder.ts";

/** Keeps the log and the artifacts of one run. */
export interface RunStore {
  /** All events, oldest first; a log that a former version began has that version's. */
  readEvents(): Promise<readonly LoggedEvent[]>;
  /** Durable once it resolves. */
  appendEvent(event: RunEvent): Promise<void>;
  /** Atomic: a reader sees all of it or nothing. Putting a name again replaces it. */
  putArtifact(name: string, bytes: Uint8Array): Promise<void>;
  /** @throws where there is no artifact of the name */
  getArtifact(name: string): Promise<Uint8Array>;
  /** The same; null where there is none. */
  findArtifact(name: string): Promise<Uint8Array | null>;
  /** Deletes all artifacts whose names begin with `prefix`. */
  deleteArtifacts(prefix: string): Promise<void>;
}

/** Artifacts under this prefix are the directory of the run's model of that index. */
export function modelPrefix(model: number): string {
  return model === 0 ? "model/" : `model-${model}/`;
}

/** The other way round: which model's file an artifact is; null where it is none. */
export function modelOfArtifact(
  name: string,
): { readonly model: number; readonly path: string } | null {
  const parts = /^model(?:-([1-9]\d*))?\/(.*)$/s.exec(name);
  return parts ? { model: Number(parts[1] ?? 0), path: parts[2] } : null;
}

/**
 * A file of a model that the run made.
 *
 * @param path relative to the model's directory
 * @param model index of the selection
 */
export function readModelFile(store: RunStore, path: string, model = 0): Promise<Uint8Array> {
  return store.getArtifact(`${modelPrefix(model)}${path}`);
}

/** For runs that need not outlive the process. */
export class MemoryRunStore implements RunStore {
  readonly events: RunEvent[] = [];
  readonly artifacts = new Map<string, Uint8Array>();

  async readEvents(): Promise<readonly LoggedEvent[]> {
    return [...this.events];
  }

  async appendEvent(event: RunEvent): Promise<void> {
    this.events.push(event);
  }

  async putArtifact(name: string, bytes: Uint8Array): Promise<void> {
    this.artifacts.set(name, bytes);
  }

  /** @throws where there is no artifact of the name */
  async getArtifact(name: string): Promise<Uint8Array> {
    const bytes = this.artifacts.get(name);
    if (!bytes) throw new Error(`The run has no artifact ${name}.`);
    return bytes;
  }

  async findArtifact(name: string): Promise<Uint8Array | null> {
    return this.artifacts.get(name) ?? null;
  }

  async deleteArtifacts(prefix: string): Promise<void> {
    for (const name of [...this.artifacts.keys()]) {
      if (name.startsWith(prefix)) this.artifacts.delete(name);
    }
  }
}

/** A folder: `events.jsonl` and the artifacts as files. */
export class FolderRunStore implements RunStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async readEvents(): Promise<readonly LoggedEvent[]> {
    let text: string;
    try {
      text = await readFile(join(this.#folder, "events.jsonl"), "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
    // What stands behind the last line feed was being written when the process was killed.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole.length < text.length) {
      await writeFile(join(this.#folder, "events.jsonl"), whole);
    }
    return whole
      .split("\n")
      .filter((line) => line !== "")
      .map((line): LoggedEvent => JSON.parse(line));
  }

  async appendEvent(event: RunEvent): Promise<void> {
    await makeFolder(this.#folder);
    const file = await open(join(this.#folder, "events.jsonl"), "a");
    try {
      await file.appendFile(`${JSON.stringify(event)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async putArtifact(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#folder, name);
    await makeFolder(dirname(path));
    await writeFile(`${path}.part`, bytes, { flush: true });
    await rename(`${path}.part`, path);
  }

  /** @throws where there is no artifact of the name */
  async getArtifact(name: string): Promise<Uint8Array> {
    return readFile(join(this.#folder, name));
  }

  async findArtifact(name: string): Promise<Uint8Array | null> {
    try {
      return await this.getArtifact(name);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      throw error;
    }
  }

  async deleteArtifacts(prefix: string): Promise<void> {
    // Prefixes are folders here, as the trainer uses them.
    await rm(join(this.#folder, prefix), { recursive: true, force: true });
  }
}
