/** Node's permission model for a process that reads strangers' data. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ENGINE = dirname(dirname(fileURLToPath(import.meta.resolve("@distillery/engine"))));

/**
 * It reads the service's code and packages and no other file, writes none and starts no process, but for
 * the folders that are named.
 * Threads and native code are its libraries' own: letters are drawn and recognised by them.
 *
 * @param folders what else it may read
 * @param writable what it may write
 */
export function permissionFlags(
  folders: readonly string[] = [],
  writable: readonly string[] = [],
): string[] {
  const source = fileURLToPath(new URL("../..", import.meta.url));
  // Its own module may be one of the bundle (`scripts/build-service.ts`).
  const own = [source, join(source, "..", "dist"), join(source, "..", "package.json"), ENGINE];
  const readable = [...own, ...folders];
  for (let folder = dirname(source); ; folder = dirname(folder)) {
    const packages = join(folder, "node_modules");
    if (existsSync(packages)) readable.push(packages);
    if (folder === dirname(folder)) break;
  }
  return [
    "--permission",
    "--allow-addons",
    "--allow-worker",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
  ];
}
