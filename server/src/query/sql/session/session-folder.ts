/** Where sessions put their files: a folder a service process, removed when that is no more. */

import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";

/** An empty folder for this process, after those of processes that are gone are removed. */
export async function openSessionFolder(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    if (!isAlive(Number(name))) await rm(join(root, name), { recursive: true, force: true });
  }
  // DuckDB resolves links before it compares a path with the folders that it may read.
  const own = join(await realpath(root), String(process.pid));
  await mkdir(own, { recursive: true, mode: 0o700 });
  return own;
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
