/**
 * Networks that a device trains are near those that the CPU trains, whatever their shape, and what a device does
 * wrong leaves the CPU's. On SwiftShader; `DISTILLERY_GPU_TESTS=full` has many more and larger ones.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { GpuDesk } from "../../compute/gpu/desk.ts";
import type { Lane } from "../../compute/gpu/lane.ts";
import type { Fault } from "../../compute/gpu/testing/faulty-desk-thread.ts";
import { sharedDesk } from "../../compute/gpu/testing/shared-desk.ts";
import { whyNoDevice } from "../../compute/gpu/testing/swiftshader.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { rowNumbers } from "../../compute/row-lists.ts";
import { withScratch } from "../../compute/scratch.ts";
import { batchesOf, CpuTrainer } from "./cpu-trainer.ts";
import { DeviceTrainer } from "./device-trainer.ts";
import type { NetworkTensor } from "./layout.ts";
import { type Dropout, Network } from "./network.ts";
import { inputOf, type RandomNetwork, randomNetwork } from "./testing/random-network.ts";
import { referenceLoss } from "./testing/reference-network.ts";
import { trainNetwork } from "./training.ts";
import type { TrainedNetwork, TrainingInput } from "./training-input.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const arena = Arena.create();
const desk = sharedDesk();

/** How far a tensor's gradient may be from the kernels', in the length of the whole gradient. */
const GRADIENT_BOUND = 5e-6;
/** Of slopes in f64, which are by finite differences. */
const SLOPE_BOUND = 2e-5;
/** How far the least validation loss of a whole fit may be from the CPU's, of it. */
const LOSS_BOUND = 0.02;

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

interface Gradients {
  readonly input: TrainingInput;
  readonly tensors: readonly NetworkTensor[];
  readonly parameters: Float32Array;
  readonly rows: Uint32Array;
  readonly dropout: Dropout;
  readonly found: Float32Array;
  readonly expected: Float32Array;
}

/** Of one batch, by the device and by the kernels, at random parameters. */
function gradientsOf(lane: Lane, given: RandomNetwork): Gradients {
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
    const rows = order.subarray(0, batchRows);
    const dropout = device.beginEpoch(0, order);
    const { tensors } = network.layout;
    const found = device.gradients().slice();
    const expected = cpu.gradientsOf(rows, dropout).slice();
    return { input, tensors, parameters: network.getParameters(), rows, dropout, found, expected };
  });
}

/** Largest distance of a tensor's gradients, in the length of all of them. */
function apart({ tensors, found, expected }: Gradients): number {
  const length = Math.hypot(...expected) + 1e-6;
  const distances = tensors.map(({ start, length: count }) =>
    Math.hypot(
      ...found.subarray(start, start + count).map((value, i) => value - expected[start + i]),
    ),
  );
  return Math.max(...distances) / length;
}

/** Largest distance of the slope along a random direction of a tensor, likewise. */
function slopesApart({ input, tensors, parameters, rows, dropout, found }: Gradients): number {
  const random = new CounterRandom(deriveKey(5, "directions"));
  const length = Math.hypot(...found) + 1e-6;
  const step = 1e-5;
  const distances = tensors.map(({ start, length: count }) => {
    const along = new Float64Array(parameters.length);
    for (let i = start; i < start + count; i++) along[i] = random.nextGaussian();
    const size = Math.hypot(...along);
    const at = (way: number): number => {
      const moved = Float64Array.from(parameters, (value, i) => value + (way * along[i]) / size);
      return referenceLoss(input, moved, rows, dropout);
    };
    const slope = found.reduce((sum, value, i) => sum + (value * along[i]) / size, 0);
    return Math.abs((at(step) - at(-step)) / (2 * step) - slope);
  });
  return Math.max(...distances) / length;
}

describe.skipIf(why !== null)(`a network on a device (${why ?? "SwiftShader"})`, () => {
  it("has the gradients of the kernels, and of finite differences in f64", async () => {
    const opened = await desk();
    await fc.assert(
      fc.asyncProperty(randomNetwork(isFull ? 4 : 1), async (given) => {
        const gradients = await withLane(opened, (lane) => gradientsOf(lane, given));
        expect(apart(gradients)).toBeLessThan(GRADIENT_BOUND);
        // Finite differences step over kinks.
        const isSmooth = given.loss !== "pinball" && given.shape.activation !== "selu";
        if (isSmooth) expect(slopesApart(gradients)).toBeLessThan(SLOPE_BOUND);
      }),
      { numRuns: isFull ? 80 : 8, seed: 3 },
    );
  });

  it("learns what the CPU's learns, and the same again", async () => {
    const opened = await desk();
    const given: RandomNetwork = {
      ...{
        loss: "multinomial_log_loss",
        rows: 300,
        batch: 60,
        dropout: 0.2,
        weighted: true,
        seed: 4,
      },
      shape: {
        ...{ numbers: 3, frequencies: 5, pieces: 0, oneHot: [3], embedded: [6], statistics: 1 },
        ...{ widths: [16, 16], outputs: 3, activation: "mish" },
      },
    };
    const fit = (lane: Lane | null): TrainedNetwork =>
      withScratch(arena, (scratch) =>
        trainNetwork(scratch, inputOf(given, kernelsOf(arena), lane)),
      );
    const alone = fit(null);
    const first = await withLane(opened, fit);
    const second = await withLane(opened, fit);
    expect([alone.device, first.device]).toEqual([null, opened.facts.name]);
    expect(first.epochs).toBe(alone.epochs);
    const off = Math.abs(first.validationLoss! - alone.validationLoss!);
    expect(off).toBeLessThan(LOSS_BOUND * alone.validationLoss!);
    expect([...first.parameters]).toEqual([...second.parameters]);
    expect([...first.heldOut!]).toEqual([...second.heldOut!]);
  });

  it.skipIf(!isFull)("leaves nothing on the device after 100 fits", async () => {
    const opened = await desk();
    const [given] = fc.sample(randomNetwork(1), { numRuns: 1, seed: 8 });
    const held: number[] = [];
    for (let i = 0; i < 100; i++) {
      await withLane(opened, (lane) => gradientsOf(lane, given));
      held.push(opened.held.bytes);
    }
    expect(held[99]).toBeLessThanOrEqual(held[10]);
  });
});

describe.skipIf(why !== null)("a device that fails amid a network", () => {
  const given: RandomNetwork = {
    ...{ loss: "squared_error", rows: 90, batch: 30, dropout: 0.2, weighted: false, seed: 2 },
    shape: {
      ...{ numbers: 2, frequencies: 3, pieces: 0, oneHot: [], embedded: [], statistics: 0 },
      ...{ widths: [8], outputs: 1, activation: "selu" },
    },
  };
  const faults: readonly (readonly [fault: Fault, after: number, reason: RegExp])[] = [
    ["refuse", 0, /no room for a buffer/],
    ["lose", 5, /closed|lost/],
    ...(process.env["DISTILLERY_LONG"] ? ([["hang", 2, /no answer within/]] as const) : []),
    // Of the parameters, of gradients, of outputs.
    ["forget", 3, /wrong/],
    ["forget", 4, /wrong/],
    ["forget", 5, /wrong/],
    ["diverge", 3, /^$/],
  ];

  it.each(faults)("(%s, %i) leaves the CPU's network", async (fault, after, reason) => {
    const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
    module.search = `?fault=${fault}&after=${after}`;
    const own = mkdtempSync(join(tmpdir(), "devices-"));
    const opened = await GpuDesk.open({ module, folder: own });
    try {
      const fit = (lane: Lane | null): TrainedNetwork =>
        withScratch(arena, (scratch) =>
          trainNetwork(scratch, inputOf(given, kernelsOf(arena), lane)),
        );
      await withLane(opened, fit);
      const lane = opened.open(arena.handle(), 1, fault === "hang" ? 2000 : undefined)!;
      const fitted = fit(lane);
      const { reasons } = await opened.end(lane);
      expect(reasons.join()).toMatch(reason);
      expect(fitted).toEqual(fit(null));
    } finally {
      await opened.close();
      rmSync(own, { recursive: true });
    }
  });
});
