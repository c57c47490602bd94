/**
 * The bundle of the service that `scripts/build-service.ts` makes, and whether it is of the sources that
 * lie here: docs/decisions/service-bundle.md.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Where bundles lie. */
export const bundlesOf = (root: string = ROOT): string => join(root, "server/dist");
/** Says which of them is the last. */
export const noteOf = (root: string = ROOT): string => join(bundlesOf(root), "bundle.json");

export interface ServiceBundle {
  /** Of the sources (`digestOf`). */
  readonly digest: string;
  /** Its folder in `BUNDLES`. */
  readonly folder: string;
  /** All that was read to make it, by paths from the root of the repository. */
  readonly sources: readonly string[];
  /** Files of packages that it loads from where they are installed, by paths from the root. */
  readonly packages: readonly string[];
}

/** The last bundle that was made, whatever it was made of. */
export function lastBundle(root: string = ROOT): ServiceBundle | null {
  const note = noteOf(root);
  if (!existsSync(note)) return null;
  try {
    return JSON.parse(readFileSync(note, "utf8"));
  } catch (error) {
    // A disk may lose what was written last.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The bundle of the sources that lie here, if there is one. @param root of the repository */
export function currentBundle(root: string = ROOT): ServiceBundle | null {
  const bundle = lastBundle(root);
  if (bundle === null || digestOf(bundle.sources, root) !== bundle.digest) return null;
  const needed = [
    join(bundlesOf(root), bundle.folder),
    ...bundle.packages.map((path) => join(root, path)),
  ];
  return needed.every((path) => existsSync(path)) ? bundle : null;
}

/** By content, as times say little of a checkout or an image; null where one of them is not there. */
export function digestOf(sources: readonly string[], root: string = ROOT): string | null {
  const hash = createHash("sha256");
  for (const path of sources) {
    const file = join(root, path);
    if (!existsSync(file)) return null;
    const content = readFileSync(file);
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}
