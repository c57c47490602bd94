/** Where sessions put their files: a folder a service process, removed when that is no more. */

import { mkdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { openProcessFolders } from "../../../platform/files/process-folders.ts";

/** An empty folder for this process, after those of processes that are gone are removed. */
export async function openSessionFolder(root: string): Promise<string> {
  const name = basename(await openProcessFolders(root));
  // DuckDB resolves links before it compares a path with the folders that it may read.
  const own = join(await realpath(root), name);
  await mkdir(own, { recursive: true, mode: 0o700 });
  return own;
}
