/** Local copies of model directories, for the threads that predict with them. */

import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ModelFile } from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import type { ObjectStore } from "../../platform/objects/object-store.ts";
import { modelKey } from "./files.ts";

/** Copies that were asked for so lately are not removed: threads may be about to read them. */
const IN_USE_MS = 60_000;

export interface LocalModelsOptions {
  /** Of this process's own, emptied when the services open. */
  readonly folder: string;
  /** Of all copies, beside those that are in use. */
  readonly mostBytes: number;
  /** Told of the folder of a model that is gone. */
  readonly onForgotten: (folder: string) => void;
  /** Milliseconds, of a clock that nobody sets. */
  readonly now?: () => number;
}

interface Copy {
  readonly folder: Promise<string>;
  readonly bytes: number;
  usedAt: number;
  /** A job reads it at times that nobody knows. */
  isKept: boolean;
}

export class LocalModels {
  readonly #objects: ObjectStore;
  readonly #root: string;
  readonly #options: LocalModelsOptions;
  readonly #now: () => number;
  /** By the models' ids, those used latest last. */
  readonly #copies = new Map<string, Copy>();
  #bytes = 0;

  constructor(objects: ObjectStore, options: LocalModelsOptions) {
    this.#objects = objects;
    this.#root = join(options.folder, "models");
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * The folder that holds the model's files, copied there on first use.
   *
   * @param isKept whether it may be read long after, as jobs do; else for a minute
   */
  folder(
    organizationId: string,
    modelId: string,
    files: readonly ModelFile[],
    isKept = false,
  ): Promise<string> {
    const known = this.#copies.get(modelId);
    if (known) {
      known.isKept ||= isKept;
      known.usedAt = this.#now();
      this.#copies.delete(modelId);
      this.#copies.set(modelId, known);
      return known.folder;
    }
    const copy: Copy = {
      folder: this.#copy(organizationId, modelId, files),
      bytes: files.reduce((total, file) => total + file.bytes, 0),
      usedAt: this.#now(),
      isKept,
    };
    this.#copies.set(modelId, copy);
    this.#bytes += copy.bytes;
    copy.folder.then(
      async (folder) => {
        // What was forgotten meanwhile is not to lie there for good.
        if (!this.#copies.has(modelId)) await rm(folder, { recursive: true, force: true });
      },
      () => this.#drop(modelId, copy),
    );
    this.#makeRoom();
    return copy.folder;
  }

  /**
   * Drops a model that is gone, here and in the threads: once those that asked for it before, and may not have
   * read it yet, have had their minute.
   */
  async forget(modelId: string): Promise<void> {
    const copy = this.#copies.get(modelId);
    const left = copy ? copy.usedAt + IN_USE_MS - this.#now() : 0;
    if (left <= 0) return await this.#remove(modelId);
    // One that cannot be removed goes with the whole cache.
    setTimeout(() => this.forget(modelId).catch(() => undefined), left).unref();
  }

  async #remove(modelId: string): Promise<void> {
    const copy = this.#copies.get(modelId);
    if (copy) this.#drop(modelId, copy);
    const folder = join(this.#root, modelId);
    this.#options.onForgotten(folder);
    await rm(folder, { recursive: true, force: true });
  }

  #drop(modelId: string, copy: Copy): void {
    if (this.#copies.get(modelId) !== copy) return;
    this.#copies.delete(modelId);
    this.#bytes -= copy.bytes;
  }

  /** Removes the copies that were used longest ago; threads that have read them work on. */
  #makeRoom(): void {
    for (const [modelId, copy] of this.#copies) {
      if (this.#bytes <= this.#options.mostBytes) return;
      if (this.#now() - copy.usedAt < IN_USE_MS) return;
      if (copy.isKept) continue;
      this.#drop(modelId, copy);
      // One that cannot be removed is replaced by its next copy, or goes with the whole cache.
      rm(join(this.#root, modelId), { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async #copy(
    organizationId: string,
    modelId: string,
    files: readonly ModelFile[],
  ): Promise<string> {
    const target = join(this.#root, modelId);
    const partial = join(this.#root, `${modelId}.${randomUUID()}.part`);
    for (const { path } of files) {
      const local = join(partial, path);
      await mkdir(dirname(local), { recursive: true });
      const source = this.#objects.get(modelKey(organizationId, modelId, path));
      await pipeline(source, createWriteStream(local));
    }
    await rm(target, { recursive: true, force: true });
    await rename(partial, target);
    return target;
  }
}

const instances = new WeakMap<Services, LocalModels>();

/** The one instance of a process's services. */
export function localModels(services: Services): LocalModels {
  let instance = instances.get(services);
  if (!instance) {
    const { objects, compute, config } = services;
    instance = new LocalModels(objects, {
      folder: compute.cacheFolder,
      mostBytes: config.modelDiskBytes,
      onForgotten: (folder) => compute.forgetModel(folder),
    });
    instances.set(services, instance);
  }
  return instance;
}
