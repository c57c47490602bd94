/**
 * The kernels' module and the memory that it runs on: one that threads share. `@distillery/predict`, which
 * runs where no memory may be shared, has a file of its own in this one's place.
 */

import { readFileSync } from "node:fs";
import { ownFile } from "./own-file.ts";

/** Whether memories are shared; the kernels are compiled for either. */
export const SHARED = true;

let compiled: WebAssembly.Module | undefined;

/** Compiled once a thread. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(ownFile("kernels.wasm", import.meta.url)));
  return compiled;
}
