/** What packages depend on at versions that are not exact: a later one could come in without a change here. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const versions = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});

const EXACT = /^(?:\d+\.\d+\.\d+(?:-[\w.]+)?|workspace:\*)$/;

/** One sentence for each. @param manifests paths of package files, from the root */
export function inexactVersionFaults(root: string, manifests: readonly string[]): string[] {
  return manifests.flatMap((path) => {
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(root, path), "utf8")));
    return Object.values(manifest)
      .flatMap((found) => Object.entries(found))
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => `${path} has ${name} at ${version}: name one version of it.`);
  });
}
