/** The sources of the product that `pnpm check` reads: neither tests nor what only tests use. */

import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** @returns paths from `root`, with slashes, in order */
export function productSources(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !/\.test\.tsx?$|\.d\.ts$|\/testing\/|\/node_modules\//.test(path))
    .sort();
}
