/** Has sources start their threads and processes out of the bundle of the service, as the product does. */

import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseSync } from "rolldown/utils";
import { bundlesOf, type ServiceBundle } from "../../server/src/bundle.ts";
import { edited, startedName, startsIn } from "./started-modules.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Paths of modules that may start others. */
export const STARTING = /\/(?:engine|server)\/src\/.*\.ts$/;

/** @returns what edits a module by its text and path; null: it starts nothing that is in the bundle */
export function bundledStarts({
  folder,
  sources,
}: ServiceBundle): (code: string, id: string) => string | null {
  const known = new Set(sources);
  return (code, id) => {
    if (!code.includes("import.meta.url")) return null;
    const edits = startsIn(parseSync(id, code).program, id).flatMap(({ file, start, end }) => {
      const built = join(bundlesOf(), folder, startedName(file));
      // Modules that only tests start are in no bundle.
      if (!known.has(relative(root, file).split(sep).join("/")) || !existsSync(built)) return [];
      return [{ start, end, text: `new URL(${JSON.stringify(pathToFileURL(built).href)})` }];
    });
    if (edits.length === 0) return null;
    return edited(
      code,
      edits.toSorted((a, b) => a.start - b.start),
    );
  };
}
