/**
 * Lets the threads and processes that unit tests start run the bundle of the service, where there is one of
 * these sources, as the threads of the service do: they begin in a third of the time.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vitest/config";
import { bundlesOf, currentBundle } from "../server/src/bundle.ts";
import { entryName, replaced } from "./packages/started-modules.ts";

export function bundledThreads(): Plugin {
  const bundle = currentBundle();
  const folder = bundle && join(bundlesOf(), bundle.folder);
  return {
    name: "bundled-threads",
    enforce: "pre",
    transform(code, id) {
      if (folder === null || !/\/(?:engine|server)\/src\/.*(?<!\.test)\.ts$/.test(id)) return null;
      if (!code.includes("import.meta.url")) return null;
      const placed = replaced(code, id, (started) => {
        const file = started && join(folder, entryName(started));
        if (file === null || !existsSync(file)) return null;
        return `new URL(${JSON.stringify(pathToFileURL(file).href)})`;
      });
      return { code: placed, map: null };
    },
  };
}
