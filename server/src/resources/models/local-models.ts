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

export class LocalModels {
  readonly #objects: ObjectStore;
  readonly #root: string;
  readonly #copies = new Map<string, Promise<string>>();

  /** @param folder of this process's own, emptied when the services open */
  constructor(objects: ObjectStore, folder: string) {
    this.#objects = objects;
    this.#root = join(folder, "models");
  }

  /** The folder that holds the model's files, copied there on first use. */
  folder(organizationId: string, modelId: string, files: readonly ModelFile[]): Promise<string> {
    const known = this.#copies.get(modelId);
    if (known) return known;
    const copy = this.#copy(organizationId, modelId, files);
    this.#copies.set(modelId, copy);
    copy.catch(() => this.#copies.delete(modelId));
    return copy;
  }

  async forget(modelId: string): Promise<void> {
    this.#copies.delete(modelId);
    await rm(join(this.#root, modelId), { recursive: true, force: true });
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
    await rename(partial, target);
    return target;
  }
}

const instances = new WeakMap<Services, LocalModels>();

/** The one instance of a process's services. */
export function localModels(services: Services): LocalModels {
  let instance = instances.get(services);
  if (!instance) {
    instance = new LocalModels(services.objects, services.compute.cacheFolder);
    instances.set(services, instance);
  }
  return instance;
}
