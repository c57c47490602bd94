/** Networks that TensorFlow.js trains are near the CPU's; on its CPU backend, which has the API of all. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { rowNumbers } from "../../compute/row-lists.ts";
import { withScratch } from "../../compute/scratch.ts";
import { batchesOf, CpuTrainer } from "./cpu-trainer.ts";
import { Network } from "./network.ts";
import { loadTensorFlow, TensorFlowTrainer } from "./tensorflow-trainer.ts";
import { inputOf, type RandomNetwork, randomNetwork } from "./testing/random-network.ts";
import { trainNetwork } from "./training.ts";
import type { TrainedNetwork } from "./training-input.ts";
import { unitMasks } from "./unit-masks.ts";

const PACKAGE = "@tensorflow/tfjs";
const arena = Arena.create();
const kernels = kernelsOf(arena);

/** How far a tensor's gradient may be from the kernels', in the length of the whole gradient. */
const GRADIENT_BOUND = 1e-5;
const LOSS_BOUND = 0.02;

const GIVEN: RandomNetwork = {
  ...{ loss: "multinomial_log_loss", rows: 120, batch: 40, dropout: 0.2, weighted: true, seed: 4 },
  shape: {
    ...{ numbers: 3, frequencies: 5, pieces: 0, oneHot: [3], embedded: [6], statistics: 1 },
    ...{ widths: [16, 16], outputs: 3, activation: "mish" },
  },
};

const fit = (tensorflow: string | null): TrainedNetwork =>
  withScratch(arena, (scratch) =>
    trainNetwork(scratch, { ...inputOf(GIVEN, kernels), tensorflow }),
  );

describe("a network in TensorFlow.js", () => {
  it("has the gradients of the kernels", () => {
    const tf = loadTensorFlow(PACKAGE);
    const property = fc.property(randomNetwork(1), (given) => {
      const input = inputOf(given, kernels);
      withScratch(arena, (scratch) => {
        const { batchRows } = batchesOf(input);
        const network = new Network(scratch, input.shape, batchRows);
        const random = new CounterRandom(deriveKey(given.seed, "parameters"));
        network.setParameters(
          Float32Array.from({ length: network.layout.size }, () => 1.6 * random.nextFloat() - 0.8),
        );
        const rows = random.shuffle(rowNumbers(given.rows)).subarray(0, batchRows);
        const dropout = {
          kept: 1 - given.dropout,
          keys: Int32Array.from(input.shape.widths, () => random.nextUint32() | 0),
        };
        const trainer = new TensorFlowTrainer(tf, network, input);
        const masks = unitMasks(dropout, input.shape.widths, rows.length);
        const found = trainer.gradientsOf(rows, masks);
        trainer.close();
        const expected = new CpuTrainer(scratch, network, input).gradientsOf(rows, dropout);
        const off = Math.hypot(...found.map((gradient, i) => gradient - expected[i]));
        expect(off).toBeLessThan(GRADIENT_BOUND * (Math.hypot(...expected) + 1e-6));
      });
    });
    fc.assert(property, { numRuns: 12, seed: 3 });
  });

  it("learns what the CPU's learns, leaves no tensors behind, and says who trained", () => {
    const before = loadTensorFlow(PACKAGE).memory().numTensors;
    const [alone, other] = [fit(null), fit(PACKAGE)];
    expect([alone.device, other.device]).toEqual([null, "tensorflow (cpu)"]);
    const off = Math.abs(other.validationLoss! - alone.validationLoss!);
    expect(off).toBeLessThan(LOSS_BOUND * alone.validationLoss!);
    expect(loadTensorFlow(PACKAGE).memory().numTensors).toBe(before);
  });

  it("is the CPU's where the library does not load, with the reason", () => {
    const { refusal, ...fitted } = fit("no-such-library");
    expect(refusal).toMatch(/^no-such-library: Cannot find module/);
    expect(fitted).toEqual(fit(null));
  });
});
