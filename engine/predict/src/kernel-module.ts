/**
 * In the place of the engine's: the same kernels, compiled for memory that is not shared, which pages have
 * only where they are isolated, and edge runtimes not at all.
 */

import { inflating } from "./inflating.ts";

/** Set by the build: deflated, in base64. */
declare const KERNELS: string;

export const SHARED = false;

let compiled: WebAssembly.Module | undefined;

/** @throws Error before `compileKernels` */
export function kernelModule(): WebAssembly.Module {
  if (compiled === undefined) throw new Error("The kernels are not compiled yet.");
  return compiled;
}

/**
 * Once for all models, and not within the thread's own time, where the runtime can.
 *
 * @param given by the caller, where the runtime compiles no bytes
 * @throws TypeError for what is no module
 */
export async function compileKernels(given: object | undefined): Promise<void> {
  if (given !== undefined && !(given instanceof WebAssembly.Module)) {
    throw new TypeError(
      "kernels should be a WebAssembly.Module of @distillery/predict/kernels.wasm.",
    );
  }
  compiled ??= given ?? (await WebAssembly.compile(await ownKernels()));
}

const ownKernels = (): Promise<ArrayBuffer> =>
  new Response(inflating(fromBase64(KERNELS))).arrayBuffer();

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
