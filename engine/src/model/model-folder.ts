/** Models in local folders. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReadModelFile } from "./load.ts";

/** Reads the files of a model that lies in a local folder, for `loadModel`. */
export function modelFolder(folder: string): ReadModelFile {
  return (path) => readFile(join(folder, path));
}
