/** `@distillery/predict` in Node: as elsewhere, and `file:` URLs are read. */

import "./jitless.ts";
import { readFile } from "node:fs/promises";
import { load } from "./load.ts";
import { type Fetch, fetchBytes } from "./source.ts";
import type { LoadOptions, Model, ModelSource } from "./types.ts";

export { ModelFormatError } from "../../src/model/model-format-error.ts";
export { type RowFault, RowsError } from "./rows-error.ts";
export type * from "./types.ts";

const readBytes: Fetch = (address) =>
  address.protocol === "file:" ? readFile(address) : fetchBytes(address);

/** See `index.ts`. */
export function loadModel(source: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return load(source, options, readBytes);
}
