/** `@distillery/predict`: loads a model archive and answers what the service answers, anywhere. */

import "./jitless.ts";
import { load } from "./load.ts";
import { fetchBytes } from "./source.ts";
import type { LoadOptions, Model, ModelSource } from "./types.ts";

export { ModelFormatError } from "../../src/model/model-format-error.ts";
export { type RowFault, RowsError } from "./rows-error.ts";
export type * from "./types.ts";

/**
 * Loads a model: in a browser, a worker, an edge runtime or Node.
 *
 * @throws {ModelFormatError} when a file is absent, damaged, or of a newer format; it names the file
 * @throws {TypeError} for what is no source
 */
export function loadModel(source: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return load(source, options, fetchBytes);
}
