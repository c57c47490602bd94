/**
 * The training of one network: Adam over shuffled batches, and the epoch that is best on the validation rows
 * (Holzmüller, Grinsztajn & Steinwart, "Better by default", NeurIPS 2024, §3 and appendix A). A device trains where
 * one takes part; where it fails, this thread begins anew.
 */

import { CounterRandom, extendKey } from "../../compute/random.ts";
import { rowNumbers } from "../../compute/row-lists.ts";
import type { Scratch } from "../../compute/scratch.ts";
import { FitStoppedError } from "../fit-limits.ts";
import { normalQuantile } from "../linear/numeric-transform.ts";
import { BestEpochs } from "./best-epochs.ts";
import { batchesOf, CpuTrainer } from "./cpu-trainer.ts";
import { DeviceTrainer, NoAnswerError } from "./device-trainer.ts";
import { BATCH_ROWS, PERIODIC_WIDTH } from "./layout.ts";
import { Network } from "./network.ts";
import { isLearned } from "./schedule.ts";
import { loadTensorFlow, TensorFlowTrainer } from "./tensorflow-trainer.ts";
import {
  DivergedError,
  type TrainedNetwork,
  type Trainer,
  type TrainingInput,
} from "./training-input.ts";

/**
 * @throws FitStoppedError
 * @throws DivergedError when the loss stops being a number
 */
export function trainNetwork(scratch: Scratch, input: TrainingInput): TrainedNetwork {
  const { batchRows } = batchesOf(input);
  const network = new Network(scratch, input.shape, Math.max(batchRows, BATCH_ROWS));
  initialise(network, input);
  const cpu = new CpuTrainer(scratch, network, input);
  const trained = input.device && trainOn(input.device, { scratch, network, cpu, input });
  if (trained) return trained;
  const byLibrary =
    input.tensorflow === null ? null : trainByTensorFlow(input.tensorflow, network, input);
  if (byLibrary !== null && typeof byLibrary !== "string") return byLibrary;
  const refusal = byLibrary === null ? {} : { refusal: byLibrary };
  return { ...trainBy(cpu, input), device: null, ...refusal };
}

/** The network; or why there is none, in a line: it is then as it was. */
function trainByTensorFlow(
  name: string,
  network: Network,
  input: TrainingInput,
): TrainedNetwork | string {
  try {
    const trainer = new TensorFlowTrainer(loadTensorFlow(name), network, input);
    try {
      return { ...trainBy(trainer, input), device: trainer.device };
    } finally {
      trainer.close();
    }
  } catch (error) {
    if (error instanceof FitStoppedError || !(error instanceof Error)) throw error;
    input.limits.restart();
    return `${name}: ${error.message.split("\n", 1)[0]}`;
  }
}

interface DeviceFit {
  readonly scratch: Scratch;
  readonly network: Network;
  readonly cpu: CpuTrainer;
  readonly input: TrainingInput;
}

/** Null where the device failed, or found no numbers: the network is then as it was. */
function trainOn(
  lane: NonNullable<TrainingInput["device"]>,
  { scratch, network, cpu, input }: DeviceFit,
): TrainedNetwork | null {
  const begin = network.getParameters();
  try {
    const trainer = new DeviceTrainer({ scratch, lane, network, cpu, input });
    return { ...trainBy(trainer, input), device: lane.adapter };
  } catch (error) {
    if (!(error instanceof NoAnswerError || error instanceof DivergedError)) throw error;
    network.setParameters(begin);
    input.limits.restart();
    return null;
  }
}

function trainBy(trainer: Trainer, input: TrainingInput): Omit<TrainedNetwork, "device"> {
  const { parameters, train, valid, limits, key } = input;
  const stop =
    parameters.stopEpoch > 0 && valid === null ? parameters.stopEpoch : parameters.epochs;
  const watch = valid && new BestEpochs(input, valid);
  let kept: Float32Array = new Float32Array();
  let epoch = 0;
  while (epoch < Math.min(stop, parameters.epochs) && limits.begin()) {
    const order = new CounterRandom(extendKey(key, "order", epoch)).shuffle(
      rowNumbers(train.inputs.rows),
    );
    if (!trainer.train(epoch, order)) break;
    epoch++;
    const isBest = watch === null || watch.observe(epoch, trainer.outputs());
    if (isBest) kept = trainer.parameters();
    if (watch === null && kept.some((value) => !Number.isFinite(value))) throw new DivergedError();
    if (watch !== null && isLearned(epoch, parameters.epochs, watch)) break;
  }
  if (epoch === 0) throw new FitStoppedError();
  return {
    parameters: kept,
    epochs: epoch,
    bestEpoch: watch?.best ?? epoch,
    validationLoss: watch?.leastLoss ?? null,
    curve: watch?.curve() ?? null,
    heldOut: watch?.heldOut ?? null,
  };
}

/** Weights and hidden biases normal, output weights 0, scales and activations 1. */
function initialise(network: Network, { shape, parameters, key, base }: TrainingInput): void {
  const { layout } = network;
  network.setParameters(new Float32Array(layout.size));
  const random = new CounterRandom(extendKey(key, "weights"));
  const normal = (): number => normalQuantile((random.nextUint32() + 0.5) / 0x1_0000_0000);
  for (const tensor of layout.tensors) {
    const values = network.view(tensor);
    switch (tensor.role) {
      case "frequencies": {
        const each = shape.numbers * shape.frequencies;
        for (let i = 0; i < values.length; i++) {
          if (i < each) values[i] = parameters.periodicSigma * normal();
          else if (i < 2 * each) values[i] = random.nextFloat() - 0.5;
          else if (i < 5 * each) values[i] = normal() / Math.sqrt(shape.frequencies);
          else values[i] = 0;
        }
        break;
      }
      case "pieces":
        // Random walks over the pieces, from a normal start; the first of four is not read.
        for (let i = 0; i < values.length; i++) {
          const knot = Math.floor(i / PERIODIC_WIDTH) % (shape.pieces + 1);
          const size = knot === 0 ? 1 : 1 / Math.sqrt(shape.pieces);
          values[i] = i % PERIODIC_WIDTH === 0 ? 0 : size * normal();
        }
        break;
      case "scale":
      case "activation":
        values.fill(1);
        break;
      case "output_weights":
        break;
      case "output_biases":
        values.set(base);
        break;
      case "embedding":
      case "weights":
      case "biases":
        for (let i = 0; i < values.length; i++) values[i] = normal();
    }
  }
}
