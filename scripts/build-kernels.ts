/** Compiles the AssemblyScript kernels to one wasm module when they are newer than it. */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const engine = fileURLToPath(new URL("../engine/", import.meta.url));
const source = join(engine, "src/kernels/assembly");
const output = join(engine, "src/compute/kernels.wasm");

function newestChange(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}

const newest = Math.max(newestChange(source), statSync(fileURLToPath(import.meta.url)).mtimeMs);
if (!existsSync(output) || statSync(output).mtimeMs < newest) {
  const asc = createRequire(join(engine, "package.json")).resolve("assemblyscript/bin/asc.js");
  // Built beside the old one and moved over it: whoever loads it meanwhile sees a whole module.
  const unfinished = `${output}.${process.pid}`;
  const result = spawnSync(
    process.execPath,
    [
      asc,
      join(source, "index.ts"),
      "--outFile",
      unfinished,
      "-O3",
      "--noAssert",
      "--runtime",
      "stub",
      "--importMemory",
      "--sharedMemory",
      "--initialMemory",
      "17",
      "--maximumMemory",
      "65536",
      "--enable",
      "simd,threads,bulk-memory",
    ],
    { stdio: "inherit" },
  );
  if (result.status !== 0) {
    rmSync(unfinished, { force: true });
    process.exit(result.status ?? 1);
  }
  renameSync(unfinished, output);
}
