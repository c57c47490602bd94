/** The models that a thread holds, as many as a bound of bytes allows; those used latest stay. */

import { loadModel, type Model, modelFolder } from "@distillery/engine";

export class LoadedModels {
  readonly #most: number;
  readonly #held = new Map<string, Model>();

  /** @param most bytes of memory that they hold; the latest is held whatever its size */
  constructor(most: number) {
    this.#most = most;
  }

  get folders(): string[] {
    return [...this.#held.keys()];
  }

  /** @throws ModelFormatError, after which nothing is kept */
  async get(folder: string): Promise<Model> {
    const model = this.#held.get(folder) ?? (await loadModel(modelFolder(folder)));
    this.#held.delete(folder);
    this.#held.set(folder, model);
    // Counted anew: explaining makes a model larger.
    let bytes = 0;
    for (const each of this.#held.values()) bytes += each.bytes;
    for (const [oldest, each] of this.#held) {
      if (bytes <= this.#most || oldest === folder) break;
      bytes -= each.bytes;
      this.forget(oldest);
    }
    return model;
  }

  /** It is not disposed of: a request that has it may still answer with it. */
  forget(folder: string): void {
    this.#held.delete(folder);
  }
}
