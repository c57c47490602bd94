/** `@distillery/predict` in Node: as elsewhere, and `file:` URLs are read. */

import "./jitless.ts";
import { readFile } from "node:fs/promises";
import { ModelFormatError } from "../../src/model/model-format-error.ts";
import { load } from "./load.ts";
import { type Fetch, fetchBytes } from "./source.ts";
import type { LoadOptions, Model, ModelSource } from "./types.ts";

export { ModelFormatError } from "../../src/model/model-format-error.ts";
export { type RowFault, RowsError } from "./rows-error.ts";
export type * from "./types.ts";

const readBytes: Fetch = (address) =>
  address.protocol === "file:" ? readLocal(address) : fetchBytes(address);

async function readLocal(address: URL): Promise<Uint8Array> {
  try {
    return await readFile(address);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    const why =
      code === "EISDIR"
        ? `is a folder: of a model's folder, the URL ends with a slash, ${address.href}/`
        : code === "ENOENT"
          ? "is not there"
          : code === "ENOTDIR"
            ? "cannot be there, because a part of its path is a file: the URL of an archive ends without a slash"
            : null;
    if (why === null) throw cause;
    throw new ModelFormatError(`${address.href} ${why}.`, { cause });
  }
}

/** See `index.ts`. */
export function loadModel(source: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return load(source, options, readBytes);
}
