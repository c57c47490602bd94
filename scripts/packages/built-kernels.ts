/** The kernels as they were compiled, where they are newer than their sources; compiled now, where they are not. */

import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileKernels, SOURCE } from "./compile-kernels.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const compiler = join(root, "scripts/packages/compile-kernels.ts");

/** Where a model's archive finds its predictor, and the kernels beside it. */
export const ARCHIVED_PREDICTOR = join(root, "server/src/platform/compute/exports/predictor");

/** By whose memory they compute in. */
const OUTPUTS = {
  shared: join(root, "engine/src/compute/kernels.wasm"),
  own: join(ARCHIVED_PREDICTOR, "kernels.wasm"),
} as const;

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

/** Whether a file is to be made anew of files and folders. */
export const isStale = (output: string, ...sources: string[]): boolean =>
  !existsSync(output) || statSync(output).mtimeMs < Math.max(...sources.map(newestChange));

/**
 * @param memory `shared` with other threads, or a predictor's `own`
 * @returns the module's file
 */
export function builtKernels(memory: keyof typeof OUTPUTS): string {
  const output = OUTPUTS[memory];
  mkdirSync(dirname(output), { recursive: true });
  if (isStale(output, SOURCE, compiler)) compileKernels(output, { shared: memory === "shared" });
  return output;
}
