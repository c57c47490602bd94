/** A built package as a file, as a registry would serve it. */

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * @param built the folder of the package
 * @returns the path of the file in `folder`
 */
export function pack(built: string, folder: string): string {
  const before = new Set(readdirSync(folder));
  execFileSync("npm", ["pack", built, "--silent"], { cwd: folder, stdio: "pipe" });
  const made = readdirSync(folder).find((name) => name.endsWith(".tgz") && !before.has(name));
  if (made === undefined) throw new Error(`Packing ${built} made no new file in ${folder}.`);
  return join(folder, made);
}
