/**
 * The WebAssembly kernels over an arena's memory.
 *
 * The module is compiled once a thread, and instantiated once for each memory: instances of
 * several threads over one shared memory see the same data. Kernels keep nothing in the memory
 * between calls but what their callers allocated.
 */

import type { ArenaHandle, Pointer } from "./arena.ts";
import { awaitCrew } from "./crew-desk.ts";
import { deviceImports } from "./gpu/device-calls.ts";
import { kernelModule } from "./kernel-module.ts";
import type { LinearKernels } from "./linear-kernels.ts";
import type { LossKernels } from "./loss-kernels.ts";
import type { NetworkKernels } from "./network-kernels.ts";
import type { SequenceKernels } from "./sequence-kernels.ts";
import type { ShapeKernels } from "./shape-kernels.ts";
import type { TreeKernels } from "./tree-kernels.ts";

/** Signatures of the module's exports; what they do is said beside each in `kernels/assembly`. */
export interface Kernels
  extends LinearKernels,
    LossKernels,
    NetworkKernels,
    SequenceKernels,
    ShapeKernels,
    TreeKernels {
  exp(x: number): number;
  log(x: number): number;
  sampleRows(
    rows: Pointer,
    count: number,
    threshold: number,
    keyLow: number,
    keyHigh: number,
    drawn: Pointer,
    rest: Pointer,
  ): number;
  helpCrew(crew: Pointer, place: number, most: number): number;
  leaveCrew(crew: Pointer, place: number): void;
}

const instances = new WeakMap<WebAssembly.Memory, Kernels>();

/** The kernels over this arena's memory, made on first use. */
export function kernelsOf(arena: ArenaHandle): Kernels {
  let kernels = instances.get(arena.memory);
  if (kernels === undefined) {
    const instance = new WebAssembly.Instance(kernelModule(), {
      env: {
        memory: arena.memory,
        abort: () => {
          throw new Error("A kernel aborted.");
        },
      },
      device: deviceImports,
      crew: {
        awaitCrew: (crew: Pointer, least: number, word: number) =>
          awaitCrew(arena, crew, least, word),
      },
    });
    // The module is built from the sources beside this file: its exports have these signatures.
    kernels = instance.exports as unknown as Kernels;
    instances.set(arena.memory, kernels);
  }
  return kernels;
}
