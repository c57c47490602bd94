/**
 * The training of one network: Adam over shuffled batches, several falls of the learning rate, dropout
 * and decay that fade, and the epoch that is best on the validation rows (Holzmüller, Grinsztajn &
 * Steinwart, "Better by default", NeurIPS 2024, §3 and appendix A).
 */

import type { Pointer } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, extendKey, type RandomKey } from "../../compute/random.ts";
import { rowNumbers } from "../../compute/row-lists.ts";
import type { Scratch } from "../../compute/scratch.ts";
import { type FitLimits, FitStoppedError } from "../fit-limits.ts";
import { type LearningCurve, learningCurve } from "../learning-curve.ts";
import { normalQuantile } from "../linear/numeric-transform.ts";
import type { NetworkInputs } from "./inputs.ts";
import { BATCH_ROWS, type NetworkShape, PERIODIC_WIDTH, type TensorRole } from "./layout.ts";
import type { RowLoss } from "./loss.ts";
import { type Dropout, Network } from "./network.ts";
import type { MlpParameters } from "./parameters.ts";

/** Rows of a fit, in the order of `inputs`. */
export interface LabelledRows {
  readonly inputs: NetworkInputs;
  /** Row-major, rows × the target's width. */
  readonly target: Float64Array;
  /** Mean 1; null = all 1. */
  readonly weights: Float64Array | null;
}

export interface TrainedNetwork {
  /** f32, one behind the other as in the network's layout. */
  readonly parameters: Float32Array;
  readonly epochs: number;
  /** Counted from 1. */
  readonly bestEpoch: number;
  /** Mean at that epoch; null without validation rows. */
  readonly validationLoss: number | null;
  readonly curve: LearningCurve | null;
  /**
   * Row-major, validation rows × outputs: each of the epoch that is best for the other parts of the
   * validation rows; null without those.
   */
  readonly heldOut: Float64Array | null;
}

export interface TrainingInput {
  readonly shape: NetworkShape;
  readonly parameters: MlpParameters;
  readonly train: LabelledRows;
  readonly valid: LabelledRows | null;
  readonly targetWidth: number;
  readonly loss: RowLoss;
  readonly lossName: string;
  readonly key: RandomKey;
  readonly limits: FitLimits;
  /** What the last biases begin with, one an output. */
  readonly base: Float64Array;
}

const BETA_1 = 0.9;
const BETA_2 = 0.95;
/** Parts that the validation rows are dealt to, one by one, as for the rounds of boosting. */
const PARTS = 5;

/** Learning rates beside that of the weights. */
const RATES: Readonly<Record<TensorRole, number>> = {
  frequencies: 0.1,
  pieces: 1,
  embedding: 1,
  scale: 6,
  weights: 1,
  biases: 0.1,
  activation: 0.1,
  output_weights: 1,
  output_biases: 0.1,
};

/** Four falls of the learning rate, each twice as long as the one before. */
export const learningRateAt = (progress: number): number =>
  0.5 - 0.5 * Math.cos(2 * Math.PI * Math.log2(1 + 15 * progress));

/** 1 for the first half, then down to 0. */
const fadingAt = (progress: number): number =>
  progress < 0.5 ? 1 : 0.5 * (1 + Math.cos(Math.PI * (2 * progress - 1)));

/**
 * @throws FitStoppedError
 * @throws Error when the loss stops being a number
 */
export function trainNetwork(scratch: Scratch, input: TrainingInput): TrainedNetwork {
  const { shape, parameters, train, valid, limits, key } = input;
  const batchRows = Math.min(parameters.batchSize, train.inputs.rows);
  const network = new Network(scratch, shape, Math.max(batchRows, BATCH_ROWS));
  initialise(network, input);
  const steps = new Steps(scratch, network, input);
  const batches = Math.max(1, Math.floor(train.inputs.rows / batchRows));
  const stop =
    parameters.stopEpoch > 0 && valid === null ? parameters.stopEpoch : parameters.epochs;
  const watch = valid && new BestEpochs(input, valid);
  let kept = network.getParameters();
  let epoch = 0;
  while (epoch < Math.min(stop, parameters.epochs) && limits.begin()) {
    const order = new CounterRandom(extendKey(key, "order", epoch)).shuffle(
      rowNumbers(train.inputs.rows),
    );
    const random = new CounterRandom(extendKey(key, "dropout", epoch));
    let isWhole = true;
    for (let batch = 0; batch < batches && isWhole; batch++) {
      const progress = (epoch + batch / batches) / parameters.epochs;
      steps.step(order.subarray(batch * batchRows, (batch + 1) * batchRows), progress, random);
      isWhole = !limits.abandons();
    }
    if (!isWhole) break;
    epoch++;
    const isBest = watch === null || watch.observe(epoch, network);
    if (isBest) kept = network.getParameters();
    if (watch === null && kept.some((value) => !Number.isFinite(value))) throw notANumber();
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

const notANumber = (): Error =>
  new Error("The network's loss stopped being a number; a smaller learning_rate may help.");

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

/** Steps of the optimiser. */
class Steps {
  readonly #scratch: Scratch;
  readonly #network: Network;
  readonly #input: TrainingInput;
  readonly #moments: readonly [Pointer, Pointer];
  readonly #gradients: Pointer;
  readonly #lossGradient: Pointer;
  readonly #spare: Pointer;
  /** β₁ᵗ and β₂ᵗ. */
  #powers = [1, 1];

  constructor(scratch: Scratch, network: Network, input: TrainingInput) {
    const { size, inputWidth } = network.layout;
    const zeros = (numbers: number): Pointer => {
      const pointer = scratch.allocate(numbers * 4);
      scratch.arena.f32(pointer, numbers).fill(0);
      return pointer;
    };
    const widest = Math.max(inputWidth, network.outputWidth, ...input.shape.widths);
    this.#scratch = scratch;
    this.#network = network;
    this.#input = input;
    this.#moments = [zeros(size), zeros(size)];
    this.#gradients = zeros(size);
    this.#lossGradient = zeros(network.batchRows * widest);
    this.#spare = zeros(network.batchRows * widest);
  }

  step(rows: Uint32Array, progress: number, random: CounterRandom): void {
    const network = this.#network;
    const { parameters, shape } = this.#input;
    const keys = Int32Array.from(shape.widths, () => random.nextUint32() | 0);
    const dropout: Dropout = { kept: 1 - parameters.dropout * fadingAt(progress), keys };
    const count = network.embed(this.#input.train.inputs, rows);
    network.forward(count, dropout);
    this.#writeLossGradient(rows, count);
    network.backward(count, dropout, this.#lossGradient, this.#spare, this.#gradients);
    this.#move(parameters, progress);
  }

  #writeLossGradient(rows: Uint32Array, count: number): void {
    const { train, targetWidth, loss, shape } = this.#input;
    const { outputs, outputWidth } = this.#network;
    const { arena } = this.#scratch;
    const given = arena.f32(outputs, count * outputWidth);
    const gradient = arena.f32(this.#lossGradient, count * outputWidth).fill(0);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const at = i * outputWidth;
      loss.of(given, at, train.target, row * targetWidth, gradient);
      const share = (train.weights?.[row] ?? 1) / rows.length;
      for (let k = 0; k < shape.outputs; k++) gradient[at + k] *= share;
    }
  }

  #move({ learningRate, weightDecay }: MlpParameters, progress: number): void {
    const network = this.#network;
    const kernels = kernelsOf(this.#scratch.arena);
    const rate = learningRate * learningRateAt(progress);
    const [first, second] = this.#powers;
    this.#powers = [first * BETA_1, second * BETA_2];
    const corrections = this.#powers.map((power) => 1 / (1 - power));
    for (const { role, start, length } of network.layout.tensors) {
      const own = rate * RATES[role];
      const decays = role === "weights" || role === "output_weights" || role === "embedding";
      kernels.adamStep(
        network.parameters + start * 4,
        this.#gradients + start * 4,
        this.#moments[0] + start * 4,
        this.#moments[1] + start * 4,
        Math.ceil(length / 4) * 4,
        own,
        BETA_1,
        BETA_2,
        corrections[0],
        corrections[1],
        decays ? own * weightDecay * fadingAt(progress) : 0,
      );
    }
  }
}

/** The best epoch by all validation rows, and by those without each part. */
class BestEpochs {
  readonly heldOut: Float64Array;
  best = 1;
  leastLoss = Number.POSITIVE_INFINITY;
  readonly #input: TrainingInput;
  readonly #rows: LabelledRows;
  readonly #losses: number[] = [];
  readonly #least = new Float64Array(PARTS).fill(Number.POSITIVE_INFINITY);

  constructor(input: TrainingInput, rows: LabelledRows) {
    this.#input = input;
    this.#rows = rows;
    this.heldOut = new Float64Array(rows.inputs.rows * input.shape.outputs);
  }

  /** @returns whether the epoch is the best so far */
  observe(epoch: number, network: Network): boolean {
    const { shape, loss, targetWidth } = this.#input;
    const { inputs, target, weights } = this.#rows;
    const outputs = network.outputsOf(inputs);
    const sums = new Float64Array(PARTS);
    let total = 0;
    for (let row = 0; row < inputs.rows; row++) {
      const weight = weights?.[row] ?? 1;
      total += weight;
      if (weight === 0) continue;
      const own = loss.of(outputs, row * shape.outputs, target, row * targetWidth, null);
      sums[row % PARTS] += weight * own;
    }
    const all = sums.reduce((sum, each) => sum + each, 0);
    const mean = total > 0 ? all / total : 0;
    if (!Number.isFinite(mean)) throw notANumber();
    this.#losses.push(mean);
    for (let part = 0; part < PARTS; part++) {
      if (!(all - sums[part] < this.#least[part])) continue;
      this.#least[part] = all - sums[part];
      for (let row = part; row < inputs.rows; row += PARTS) {
        const at = row * shape.outputs;
        this.heldOut.set(outputs.subarray(at, at + shape.outputs), at);
      }
    }
    if (!(mean < this.leastLoss)) return false;
    this.leastLoss = mean;
    this.best = epoch;
    return true;
  }

  curve(): LearningCurve {
    return learningCurve(this.#input.lossName, this.#losses);
  }
}
