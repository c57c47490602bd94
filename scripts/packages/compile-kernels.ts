/** The AssemblyScript compiler on the kernels: for memory that threads share, or for one thread's own. */

import { spawnSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const engine = fileURLToPath(new URL("../../engine/", import.meta.url));

/** The kernels' sources. */
export const SOURCE = join(engine, "src/kernels/assembly");

/**
 * Ends the process where they do not compile, with what the compiler says.
 *
 * @param shared false: those of a predictor, which fits nothing
 */
export function compileKernels(output: string, { shared }: { readonly shared: boolean }): void {
  const asc = createRequire(join(engine, "package.json")).resolve("assemblyscript/bin/asc.js");
  // Built beside the old one and moved over it: whoever loads it meanwhile sees a whole module.
  const unfinished = `${output}.${process.pid}`;
  const result = spawnSync(
    process.execPath,
    [
      asc,
      join(SOURCE, shared ? "index.ts" : "predicting.ts"),
      "--transform",
      join(SOURCE, "../inline-functions.js"),
      "--outFile",
      unfinished,
      "-O3",
      "--noAssert",
      "--runtime",
      "stub",
      "--importMemory",
      "--memoryBase",
      "16",
      "--lowMemoryLimit",
      "1024",
      ...(shared ? ["--sharedMemory"] : []),
      "--initialMemory",
      "17",
      "--maximumMemory",
      "65536",
      "--enable",
      shared ? "simd,threads,bulk-memory" : "simd,bulk-memory",
    ],
    { stdio: "inherit" },
  );
  if (result.status !== 0) {
    rmSync(unfinished, { force: true });
    process.exit(result.status ?? 1);
  }
  renameSync(unfinished, output);
}
