/** The built package as a file, as a registry would serve it. */

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { buildEngine } from "./build.ts";

/** @returns the path of the file in `folder` */
export async function packEngine(folder: string): Promise<string> {
  const built = await buildEngine();
  execFileSync("npm", ["pack", built, "--silent"], { cwd: folder, stdio: "pipe" });
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  return join(folder, file);
}
