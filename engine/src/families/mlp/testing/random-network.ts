/** Networks of random shapes with random rows: what trains them is compared. */

import fc from "fast-check";
import type { Lane } from "../../../compute/gpu/lane.ts";
import type { Kernels } from "../../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { LOSSES } from "../../../shaders/network-layers.ts";
import type { Loss } from "../../../tasks/task-type.ts";
import { FitLimits } from "../../fit-limits.ts";
import type { NetworkInputs } from "../inputs.ts";
import { ACTIVATIONS, type NetworkShape } from "../layout.ts";
import { rowLoss } from "../loss.ts";
import type { LabelledRows, TrainingInput } from "../training-input.ts";

export interface RandomNetwork {
  readonly loss: Loss;
  readonly shape: NetworkShape;
  readonly rows: number;
  readonly batch: number;
  readonly dropout: number;
  readonly weighted: boolean;
  readonly seed: number;
}

const embedding = fc.constantFrom("none", "periodic", "pieces");

/** @param size how large they are at most, 1 for a cheap look */
export const randomNetwork = (size: number): fc.Arbitrary<RandomNetwork> =>
  fc
    .record({
      loss: fc.constantFrom(...LOSSES),
      activation: fc.constantFrom(...ACTIVATIONS),
      embedding,
      numbers: fc.integer({ min: 0, max: 6 }),
      waves: fc.integer({ min: 1, max: 19 }),
      oneHot: fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 3 }),
      embedded: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
      statistics: fc.integer({ min: 0, max: 3 }),
      eighths: fc.array(fc.integer({ min: 1, max: 9 * size }), { minLength: 1, maxLength: 3 }),
      outputs: fc.integer({ min: 2, max: 11 }),
      rows: fc.integer({ min: 5, max: 120 * size }),
      batch: fc.integer({ min: 5, max: 90 * size }),
      dropout: fc.constantFrom(0, 0.3),
      weighted: fc.boolean(),
      seed: fc.nat(),
    })
    .map(({ embedding: kind, numbers, waves, eighths, outputs, ...given }) => ({
      ...given,
      shape: {
        ...{ numbers, oneHot: given.oneHot, embedded: given.embedded },
        statistics: given.statistics,
        frequencies: kind === "periodic" && numbers > 0 ? waves : 0,
        pieces: kind === "pieces" && numbers > 0 ? waves : 0,
        widths: eighths.map((eighth) => 8 * eighth),
        outputs: given.loss === "pinball" || given.loss.startsWith("multi") ? outputs : 1,
        activation: given.activation,
      },
    }));

/** As a fit has it, of the loss that its kind of task has. */
export function inputOf(
  { loss, shape, rows, batch, dropout, weighted, seed }: RandomNetwork,
  kernels: Pick<Kernels, "exp" | "log">,
  device: Lane | null = null,
): TrainingInput {
  const random = new CounterRandom(deriveKey(seed, "network"));
  const draw = (): number => 2 * random.nextFloat() - 1;
  const { outputs } = shape;
  const classes = loss === "multinomial_log_loss";
  const targetWidth = classes ? outputs : 1;
  const labelled = (count: number): LabelledRows => {
    const codes = (counts: readonly number[], least: number): Int32Array =>
      Int32Array.from(
        counts.flatMap((most) =>
          Array.from({ length: count }, () => random.nextInteger(most + 1) + least),
        ),
      );
    const inputs: NetworkInputs = {
      rows: count,
      numbers: Float32Array.from({ length: shape.numbers * count }, () => 3 * draw()),
      places: Float32Array.from(
        { length: shape.pieces > 0 ? shape.numbers * count : 0 },
        () => random.nextFloat() * shape.pieces,
      ),
      oneHot: codes(shape.oneHot, -1),
      embedded: codes(shape.embedded, 0),
      statistics: Float32Array.from({ length: shape.statistics * count }, draw),
    };
    const target = new Float64Array(count * targetWidth);
    for (let row = 0; row < count; row++) {
      if (classes) target[row * outputs + random.nextInteger(outputs)] = 1;
      else target[row] = loss === "binary_log_loss" ? random.nextInteger(2) : 2 * draw();
    }
    const weights = weighted
      ? Float64Array.from({ length: count }, () => 2 * random.nextFloat())
      : null;
    return { inputs, target, weights };
  };
  const levels =
    loss === "pinball" ? Array.from({ length: outputs }, (_, k) => (k + 1) / (outputs + 1)) : [];
  return {
    shape,
    parameters: {
      ...{ epochs: 3, stopEpoch: 0, batchSize: Math.min(batch, rows), learningRate: 0.03 },
      ...{ weightDecay: 0.02, dropout, hiddenLayers: shape.widths.length, hiddenWidth: 8 },
      ...{ activation: shape.activation, numericEmbedding: "periodic", periodicSigma: 0.3 },
      ...{ labelSmoothing: 0, oneHotMaxCategories: 8, embeddingMinRows: 10 },
    },
    train: labelled(rows),
    valid: labelled(37),
    targetWidth,
    loss: rowLoss(loss, outputs, levels, kernels),
    lossKind: loss,
    levels,
    lossName: loss,
    key: deriveKey(seed, "fit"),
    limits: new FitLimits(),
    base: new Float64Array(outputs),
    device,
    tensorflow: null,
  };
}
