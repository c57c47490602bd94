/**
 * Networks that a device trains are near those that the CPU trains, whatever their shape, and what a device does
 * wrong leaves the CPU's. On SwiftShader; `DISTILLERY_GPU_TESTS=full` has many more and larger ones.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { GpuDesk } from "../../compute/gpu/desk.ts";
import type { Lane } from "../../compute/gpu/lane.ts";
import { whyNoDevice } from "../../compute/gpu/testing/swiftshader.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { rowNumbers } from "../../compute/row-lists.ts";
import { withScratch } from "../../compute/scratch.ts";
import { batchesOf, CpuTrainer } from "./cpu-trainer.ts";
import { DeviceTrainer } from "./device-trainer.ts";
import { Network } from "./network.ts";
import { inputOf, type RandomNetwork, randomNetwork } from "./testing/random-network.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const folder = mkdtempSync(join(tmpdir(), "devices-"));
const arena = Arena.create();
let shared: Promise<GpuDesk> | undefined;
const desk = (): Promise<GpuDesk> => {
  shared ??= GpuDesk.open({ folder });
  return shared;
};
afterAll(async () => {
  await (await shared)?.close();
  rmSync(folder, { recursive: true });
});

/** Of a tensor: how far the device's gradient may be from the CPU's, in the length of all. */
const GRADIENT_BOUND = 2e-5;

/** Does it with a lane that ends; a refusal is an error that says why. */
async function withLane<T>(opened: GpuDesk, action: (lane: Lane) => T): Promise<T> {
  const lane = opened.open(arena.handle(), 1);
  if (lane === null) throw new Error(`The device is gone: ${opened.gone}`);
  let outcome: { readonly value: T } | { readonly error: unknown };
  try {
    outcome = { value: action(lane) };
  } catch (error) {
    outcome = { error };
  }
  const { reasons } = await opened.end(lane);
  if ("error" in outcome) throw new Error(reasons.join("; "), { cause: outcome.error });
  return outcome.value;
}

/** Largest distance of a tensor's gradients, in the length of all of them. */
function gradientsApart(lane: Lane, given: RandomNetwork): number {
  const input = inputOf(given, kernelsOf(arena), lane);
  return withScratch(arena, (scratch) => {
    const { batchRows } = batchesOf(input);
    const network = new Network(scratch, input.shape, batchRows);
    const random = new CounterRandom(deriveKey(given.seed, "parameters"));
    network.setParameters(
      Float32Array.from({ length: network.layout.size }, () => 1.6 * random.nextFloat() - 0.8),
    );
    const cpu = new CpuTrainer(scratch, network, input);
    const device = new DeviceTrainer({ scratch, lane, network, cpu, input });
    const order = random.shuffle(rowNumbers(given.rows));
    const dropout = device.beginEpoch(0, order);
    const found = device.gradients().slice();
    const expected = cpu.gradientsOf(order.subarray(0, batchRows), dropout);
    const length = Math.hypot(...expected);
    let most = 0;
    for (const { start, length: count } of network.layout.tensors) {
      const off = Math.hypot(
        ...found.subarray(start, start + count).map((value, i) => value - expected[start + i]),
      );
      most = Math.max(most, off / (length + 1e-6));
    }
    return most;
  });
}

describe.skipIf(why !== null)(`a network on a device (${why ?? "SwiftShader"})`, () => {
  it("has the gradients of the kernels", async () => {
    const opened = await desk();
    await fc.assert(
      fc.asyncProperty(randomNetwork(isFull ? 4 : 1), async (given) => {
        const apart = await withLane(opened, (lane) => gradientsApart(lane, given));
        if (process.env.SHOW) console.log(apart);
        expect(apart).toBeLessThan(GRADIENT_BOUND);
      }),
      { numRuns: isFull ? 80 : 8, seed: 3 },
    );
  });
});
