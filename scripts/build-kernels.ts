/**
 * Makes what a running service reads beside its sources, where it is older than those: the AssemblyScript
 * kernels as one wasm module, and the predictor that model archives hold.
 */

import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileKernels, SOURCE } from "./packages/compile-kernels.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Of tests nothing is built. */
function newestChange(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs;
  return Math.max(
    0,
    ...readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}

const isStale = (output: string, ...sources: string[]): boolean =>
  !existsSync(output) || statSync(output).mtimeMs < Math.max(...sources.map(newestChange));

const scripts = join(root, "scripts/packages");
const compiler = join(scripts, "compile-kernels.ts");
const kernels = join(root, "engine/src/compute/kernels.wasm");
if (isStale(kernels, SOURCE, compiler)) compileKernels(kernels, { shared: true });

const predictor = join(root, "server/src/platform/compute/exports/predictor");
const own = join(predictor, "kernels.wasm");
mkdirSync(predictor, { recursive: true });
if (isStale(own, SOURCE, compiler)) compileKernels(own, { shared: false });
const sources = ["engine/src", "engine/predict/src", "pnpm-lock.yaml", "scripts/packages"];
if (isStale(join(predictor, "index.js"), own, ...sources.map((each) => join(root, each)))) {
  // Loaded where it is needed: the bundler takes longer to start than all of the above.
  const { writeArchivedPredictor } = await import("./packages/archived-predictor.ts");
  await writeArchivedPredictor(predictor, own);
}
