/**
 * For tests of sources: the threads and processes that these start run out of the bundle of the service, as
 * they do in the product, which takes a third of the time (docs/decisions/service-bundle.md). Without a
 * bundle of these very sources they run as they are.
 */

import type { Plugin } from "vite";
import { currentBundle } from "../server/src/bundle.ts";
import { bundledStarts, STARTING } from "./packages/bundled-starts.ts";

export function bundledThreads(): Plugin | null {
  const bundle = currentBundle();
  if (bundle === null) return null;
  const fromBundle = bundledStarts(bundle);
  return {
    name: "bundled-threads",
    enforce: "pre",
    // What `transform` writes into a module names the bundle's folder, which its own text does not.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ sourceCode }) =>
        sourceCode.includes("import.meta.url") ? bundle.folder : null,
      ),
    transform: {
      filter: { id: STARTING, code: "import.meta.url" },
      handler(code, id) {
        const edited = fromBundle(code, id);
        return edited === null ? null : { code: edited, map: null };
      },
    },
  };
}
