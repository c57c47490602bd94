/**
 * From which size on a device is worth the way to it for a network: what a step's dispatches cost whatever their size,
 * and a multiplication there, against one of the CPU's kernel on one thread. Measured once a device.
 */

import { gemmShader, tileFor, tilesOf } from "../../shaders/gemm.ts";
import { DIMS } from "../../shaders/network.ts";
import { Arena } from "../arena.ts";
import { kernelsOf } from "../kernels.ts";
import type { Device } from "./device.ts";
import type { Kernel } from "./steps.ts";

/** Of a step of three hidden layers. */
const DISPATCHES = 24;
const REPEATS = 3;
const SMALL = 32;
/** Enough work for every multiprocessor of a large GPU. */
const LARGE = 1024;
const CPU_SIDE = 256;

/**
 * Multiplications of a step at least; Infinity where the CPU is as fast at any size.
 *
 * @param side of the squares that a multiplication's time is measured with
 * @throws DeviceError
 */
export async function measureNetworkCrossover(device: Device, side = LARGE): Promise<number> {
  const few = await secondsOf(device, SMALL, 8 * DISPATCHES);
  const many = await secondsOf(device, side, 4);
  const dispatch = few / (8 * DISPATCHES);
  const onDevice = Math.max(0, many / 4 - dispatch) / side ** 3;
  const onCpu = cpuSeconds() / CPU_SIDE ** 3;
  if (onDevice >= onCpu) return Number.POSITIVE_INFINITY;
  return Math.ceil((DISPATCHES * dispatch) / (onCpu - onDevice));
}

/** Of so many products of squares, one behind another. */
async function secondsOf(device: Device, side: number, products: number): Promise<number> {
  const taken: { readonly buffer: GPUBuffer; readonly use: "storage" | "uniform" }[] = [];
  const take = async (bytes: number, use: "storage" | "uniform" = "storage") => {
    const buffer = await device.buffer(bytes, use);
    taken.push({ buffer, use });
    return buffer;
  };
  try {
    const sizes: Readonly<Record<string, number>> = {
      ...{ batch: side, total: side, reads: side, width: side, biases: side * side },
    };
    const dims = await take(4 * DIMS.length, "uniform");
    device.write(
      dims,
      0,
      Uint32Array.from(DIMS, (name) => sizes[name] ?? 0),
    );
    const state = await take(16);
    device.write(state, 0, new Uint32Array(4));
    const parameters = await take(4 * (side * side + side));
    const given = await take(4 * side * side);
    const sums = await take(4 * side * side);
    const zeros = [parameters, given].map((clear) => ({ clear, bytes: clear.size }));
    await device.run({ steps: zeros });
    const tile = tileFor(side, side, 1);
    const kernel: Kernel = await device.kernel(gemmShader("outputs", tile), [
      ...[dims, state, parameters, given, sums],
    ]);
    const step = { kernel, groups: [tilesOf(side, side, tile)] as const };
    let least = Number.POSITIVE_INFINITY;
    // The first compiles.
    for (let i = 0; i <= REPEATS; i++) {
      const begun = performance.now();
      await device.run({ steps: Array.from({ length: products }, () => step) });
      if (i > 0) least = Math.min(least, (performance.now() - begun) / 1000);
    }
    return least;
  } finally {
    for (const { buffer, use } of taken) device.release(buffer, use);
  }
}

/** Of one product of squares. */
function cpuSeconds(): number {
  const arena = Arena.create();
  const kernels = kernelsOf(arena);
  const bytes = 4 * CPU_SIDE ** 2;
  const [a, b, c] = [arena.allocate(bytes), arena.allocate(bytes), arena.allocate(bytes)];
  for (const pointer of [a, b]) arena.f32(pointer, CPU_SIDE ** 2).fill(1);
  const scratch = arena.allocate(4 * CPU_SIDE * (CPU_SIDE + 8));
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= REPEATS; i++) {
    const begun = performance.now();
    kernels.multiplyMatrices(
      ...([CPU_SIDE, CPU_SIDE, CPU_SIDE, a, CPU_SIDE, 1, b, CPU_SIDE, 1, c] as const),
      ...([CPU_SIDE, 0, scratch] as const),
    );
    if (i > 0) least = Math.min(least, (performance.now() - begun) / 1000);
  }
  return least;
}
