/** Models in local folders. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DOCUMENT_PATH } from "./document.ts";
import type { ReadModelFile } from "./load.ts";
import { ModelFormatError } from "./model-format-error.ts";

/**
 * Reads the files of a model that lies in a local folder, for `loadModel`.
 *
 * @returns what reads a file by its path in the folder, and throws a ModelFormatError where that cannot be read
 * @throws {TypeError} for what is no path
 */
export function modelFolder(folder: string): ReadModelFile {
  // Programs without types may give what the environment does not have.
  if (typeof folder !== "string" || folder === "") {
    throw new TypeError(
      'modelFolder takes the path of a model\'s folder, such as "houses-run/model".',
    );
  }
  return async (path) => {
    try {
      return await readFile(join(folder, path));
    } catch (cause) {
      // Without the folder, which is for those alone who named it.
      const why = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
      const isFile =
        why === " (ENOTDIR)" ? "; what was named is a file, and no model's folder" : "";
      const hint = existsSync(join(folder, "model", DOCUMENT_PATH))
        ? "; the folder is that of a run, whose model lies in model/"
        : isFile;
      throw new ModelFormatError(`The model's file ${path} cannot be read${why}${hint}.`, {
        cause,
      });
    }
  };
}
