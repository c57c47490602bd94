/** A small file that is made once and kept: whoever reads it finds all of it, or none. */

import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { linkOrCopy } from "./link-or-copy.ts";

/**
 * The text of the file at `path`; where there is none, one is made with the text that `make` gives. Of several processes that make it
 * at one moment each is given the text of the first; one that is killed while it makes it leaves no half of it.
 *
 * @param path in a folder that is there
 */
export async function keptText(
  path: string,
  mode: number,
  make: () => string | Promise<string>,
): Promise<string> {
  const kept = await readFile(path, "utf8").catch(ifMissing);
  if (kept !== null) return kept;
  const scratch = `${path}.${randomUUID()}`;
  try {
    await writeFile(scratch, await make(), { mode, flag: "wx", flush: true });
    await linkOrCopy(scratch, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(scratch, { force: true });
  }
  return readFile(path, "utf8");
}

function ifMissing(error: unknown): null {
  if (hasCode(error, "ENOENT")) return null;
  throw error;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
