/**
 * For tests of sources: the threads and processes that these start run out of the bundle of the service, as
 * they do in the product, which takes a third of the time (docs/decisions/service-bundle.md). Without a
 * bundle of these very sources they run as they are.
 */

import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseSync } from "rolldown/utils";
import type { Plugin } from "vite";
import { bundlesOf, currentBundle } from "../server/src/bundle.ts";
import { edited, startedName, startsIn } from "./packages/started-modules.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

export function bundledThreads(): Plugin | null {
  const bundle = currentBundle();
  if (bundle === null) return null;
  const sources = new Set(bundle.sources);
  return {
    name: "bundled-threads",
    enforce: "pre",
    // What `transform` writes into a module names the bundle's folder, which its own text does not.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ sourceCode }) =>
        sourceCode.includes("import.meta.url") ? bundle.folder : null,
      ),
    transform: {
      filter: { id: /\/(?:engine|server)\/src\/.*\.ts$/, code: "import.meta.url" },
      handler(code, id) {
        const edits = startsIn(parseSync(id, code).program, id).flatMap(({ file, start, end }) => {
          const built = join(bundlesOf(), bundle.folder, startedName(file));
          // Modules that only tests start are in no bundle.
          if (!sources.has(relative(root, file).split(sep).join("/")) || !existsSync(built))
            return [];
          return [{ start, end, text: `new URL(${JSON.stringify(pathToFileURL(built).href)})` }];
        });
        if (edits.length === 0) return null;
        const inOrder = edits.toSorted((a, b) => a.start - b.start);
        return { code: edited(code, inOrder), map: null };
      },
    },
  };
}
