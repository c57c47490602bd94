/**
 * Runs the bench: its own code from the sources, and the threads and processes that these start out of the bundle of the
 * service, as the product does, so that none of its figures has the loading of sources in it.
 */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { currentBundle } from "../server/src/bundle.ts";
import { bundledStarts, STARTING } from "./packages/bundled-starts.ts";

const bundle = currentBundle();
if (bundle !== null) {
  const fromBundle = bundledStarts(bundle);
  registerHooks({
    load(url, context, nextLoad) {
      if (!STARTING.test(url)) return nextLoad(url, context);
      const path = fileURLToPath(url);
      const source = fromBundle(readFileSync(path, "utf8"), path);
      if (source === null) return nextLoad(url, context);
      return { format: "module-typescript", source, shortCircuit: true };
    },
  });
}
await import("../bench/src/cli.ts");
