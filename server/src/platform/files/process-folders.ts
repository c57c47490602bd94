/** Folders that processes have each to itself, named by their numbers, below a root that they share. */

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";

/**
 * Makes the root, and removes what ended processes left below it: of one that had this process's number, too,
 * as every process of a container may have. To be called before this process puts anything there.
 *
 * @returns where this process's own folder is to be
 */
export async function openProcessFolders(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const own = String(process.pid);
  for (const name of await readdir(root)) {
    if (name !== own && isAlive(Number(name))) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
  return join(root, own);
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
