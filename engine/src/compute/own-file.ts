/** Where files of this package lie that threads and WebAssembly load by their places. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * A file that lies beside the module that asks, in the sources as in the built package. A program that
 * bundled the package has no such file beside it, and is given the installed one.
 *
 * @param name e.g. `kernels.wasm`
 * @param module the asking one's `import.meta.url`
 * @throws Error that says how to bundle
 */
export function ownFile(name: string, module: string): URL {
  const beside = new URL(`./${name}`, module);
  if (existsSync(beside)) return beside;
  try {
    return pathToFileURL(createRequire(module).resolve(`@distillery/engine/${name}`));
  } catch (cause) {
    // The sources' modules lie beside them; what is built of them may not.
    if (module.endsWith(".ts")) {
      throw new Error(`${name} is not built: run "pnpm build:kernels".`, { cause });
    }
    throw new Error(
      `${name} of @distillery/engine is neither beside ${fileURLToPath(module)} nor installed where a program there finds packages. Install @distillery/engine there, or leave it out of the bundle (for esbuild, --external:@distillery/engine).`,
      { cause },
    );
  }
}

/** A module to run in a thread, by its name without the ending, which is `.js` where it was built. */
export function ownModule(name: string, module: string): URL {
  return ownFile(`${name}${module.endsWith(".ts") ? ".ts" : ".js"}`, module);
}
