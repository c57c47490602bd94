/** A folder for a run, made where its file system lets it be. */

import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and those above it; one that is there stays as it is. Not by `mkdir` with `recursive`: that never returns
 * where a folder is there and none can be made in it, as in `/proc`.
 *
 * @param mode of those that are made, within what the process lets others have
 * @throws {Error} of the file system, with its `code` and `path`: of the first folder that cannot be made
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const folder = resolve(path);
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above, mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    // Another has made it meanwhile.
    if (codeOf(error) !== "EEXIST" || !(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
