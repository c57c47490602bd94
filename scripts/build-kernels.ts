/**
 * Makes what a running service reads beside its sources, where it is older than those: the AssemblyScript
 * kernels as one wasm module, and the predictor that model archives hold.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ARCHIVED_PREDICTOR, builtKernels, isStale } from "./packages/built-kernels.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

builtKernels("shared");
const own = builtKernels("own");
const sources = ["engine/src", "engine/predict/src", "pnpm-lock.yaml", "scripts/packages"];
if (
  isStale(join(ARCHIVED_PREDICTOR, "index.js"), own, ...sources.map((each) => join(root, each)))
) {
  // Loaded where it is needed: the bundler takes longer to start than all of the above.
  const { writeArchivedPredictor } = await import("./packages/archived-predictor.ts");
  await writeArchivedPredictor(ARCHIVED_PREDICTOR, own);
}
