/** Loading a model, for programs that may have no types. */

import { CheckedModel } from "./checked-model.ts";
import { loadModel as load, type ReadModelFile } from "./load.ts";
import type { Model } from "./model.ts";

/**
 * Loads a model in any process, without the trainer.
 *
 * @param read of its files: `modelFolder("houses-run/model")`, or what reads them from elsewhere
 * @throws {ModelFormatError} when a file is absent, damaged, or of a newer format
 * @throws {TypeError} for what reads no files, such as a path
 */
export async function loadModel(read: ReadModelFile): Promise<Model> {
  if (typeof read !== "function") {
    throw new TypeError(
      'loadModel takes what reads the files of a model: loadModel(modelFolder("houses-run/model")).',
    );
  }
  return load(read, CheckedModel);
}
