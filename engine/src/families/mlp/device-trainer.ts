/**
 * Training on a device: a fit's side of `compute/gpu/network-program.ts`. The batches, dropout and schedule are the
 * CPU's; sums are in another order, so results are near the CPU's and not its bits (`docs/decisions/gpu.md`).
 *
 * Whatever the device says is held against the kernels: after the first epoch the gradients of one batch, after
 * each epoch the outputs of a few validation rows, and how many steps were done.
 */

import type { Pointer } from "../../compute/arena.ts";
import { ask, distrust, growAnswer, type Lane } from "../../compute/gpu/lane.ts";
import {
  BEGIN_EPOCH,
  BEGIN_NETWORK,
  LAYER_WORDS,
  PARAMETERS_HEAD,
  planValues,
  READ_GRADIENTS,
  READ_OUTPUTS,
  READ_PARAMETERS,
  TRAIN_STEPS,
  validBatch,
} from "../../compute/gpu/network-requests.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import { MOST_HIDDEN, STEP_WORDS } from "../../shaders/network.ts";
import { LOSSES } from "../../shaders/network-layers.ts";
import { batchesOf, type CpuTrainer, dropoutKeys } from "./cpu-trainer.ts";
import { encodeRows, inputTables, rowWords } from "./encoded-rows.ts";
import { ACTIVATIONS, type TensorRole } from "./layout.ts";
import { type Dropout, dropped, type Network } from "./network.ts";
import { decays, RATES, Schedule } from "./schedule.ts";
import {
  DivergedError,
  type LabelledRows,
  type Trainer,
  type TrainingInput,
} from "./training-input.ts";

/** The device gave no answer, or none to be trusted: this thread trains. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** Steps asked for at once, at first and at most; and how long a request should take. */
const FIRST_STEPS = 4;
const MOST_STEPS = 512;
const SHORT_MS = 100;
const LONG_MS = 1000;
/** Batches of validation rows that are asked for at once. */
const OUTPUT_BATCHES = 16;

/** How far gradients may be from the CPU's: of their length, and without one. A wrong one is off by its length. */
const GRADIENT_SHARE = 0.01;
const GRADIENT_LEAST = 1e-5;
/** Likewise outputs, of the largest. */
const OUTPUT_SHARE = 1e-3;
/** Validation rows that are compared. */
const COMPARED_ROWS = 16;

export interface DeviceTraining {
  readonly scratch: Scratch;
  readonly lane: Lane;
  /** As it begins; what the CPU compares with is computed in it. */
  readonly network: Network;
  readonly cpu: CpuTrainer;
  readonly input: TrainingInput;
}

export class DeviceTrainer implements Trainer {
  readonly #training: DeviceTraining;
  readonly #schedule: Schedule;
  readonly #batchRows: number;
  readonly #batches: number;
  #block = FIRST_STEPS;
  #done = 0;
  #parameters: Float32Array = new Float32Array();

  /** @throws NoAnswerError */
  constructor(training: DeviceTraining) {
    const { input, lane, network } = training;
    const { batchRows, batches } = batchesOf(input);
    this.#training = training;
    this.#schedule = new Schedule(input.parameters);
    this.#batchRows = batchRows;
    this.#batches = batches;
    const outputBytes = 4 * network.outputWidth * OUTPUT_BATCHES * validBatch({ batchRows });
    const bytes = Math.max(PARAMETERS_HEAD + 4 * network.layout.size, outputBytes);
    if (input.shape.widths.length > MOST_HIDDEN || !growAnswer(lane, bytes)) {
      throw new NoAnswerError("the network is too large for a device");
    }
    withScratch(training.scratch.arena, (scratch) => this.#begin(scratch));
  }

  train(epoch: number, order: Uint32Array): boolean {
    const { limits } = this.#training.input;
    const dropout = this.beginEpoch(epoch, order);
    for (let left = this.#batches; left > 0; ) {
      const steps = Math.min(left, this.#block);
      const begun = performance.now();
      this.#ask(TRAIN_STEPS, [steps]);
      const taken = performance.now() - begun;
      if (taken < SHORT_MS) this.#block = Math.min(MOST_STEPS, 2 * this.#block);
      if (taken > LONG_MS) this.#block = Math.max(1, this.#block >> 1);
      left -= steps;
      this.#done += steps;
      if (epoch === 0) limits.throwIfLate();
      if (limits.abandons()) return false;
    }
    this.#readParameters();
    if (epoch === 0) this.#compareGradients(order.subarray(0, this.#batchRows), dropout);
    return true;
  }

  /** Has the device know the order and the steps of an epoch. @returns the dropout of its first step */
  beginEpoch(epoch: number, order: Uint32Array): Dropout {
    const { input, scratch } = this.#training;
    const { parameters } = input;
    const batches = this.#batches;
    const keys = dropoutKeys(input, epoch);
    const steps = Array.from({ length: batches }, (_, batch) => {
      const step = this.#schedule.next((epoch + batch / batches) / parameters.epochs);
      return { ...step, keys: keys() };
    });
    const table = new Uint32Array(STEP_WORDS * batches);
    const floats = new Float32Array(table.buffer);
    steps.forEach((step, batch) => {
      const at = STEP_WORDS * batch;
      const [, keepBelow, inverse] = dropped(step, 0);
      table[at] = keepBelow;
      const decay = parameters.weightDecay * step.fading;
      floats.set([inverse, step.rate, ...step.corrections, decay], at + 1);
      table.set(step.keys, at + 8);
    });
    withScratch(scratch.arena, (own) =>
      this.#ask(BEGIN_EPOCH, [own.u32(order), order.length, own.u32(table), batches]),
    );
    return steps[0];
  }

  /** Those of the epoch's first step, by the parameters as they are; f32, as the parameters. */
  gradients(): Float32Array {
    const { lane, network } = this.#training;
    this.#ask(READ_GRADIENTS, [0]);
    return new Float32Array(lane.answer, 0, network.layout.size);
  }

  parameters(): Float32Array {
    return this.#parameters;
  }

  outputs(): Float64Array {
    const { input, network, lane } = this.#training;
    if (input.valid === null) return new Float64Array();
    const { rows } = input.valid.inputs;
    const { outputs } = input.shape;
    const { outputWidth } = network;
    const all = new Float64Array(rows * outputs);
    const batch = Math.min(rows, validBatch({ batchRows: this.#batchRows }));
    for (let first = 0; first * batch < rows; first += OUTPUT_BATCHES) {
      const batches = Math.min(OUTPUT_BATCHES, Math.ceil(rows / batch) - first);
      this.#ask(READ_OUTPUTS, [first, batches]);
      const from = first * batch;
      const count = Math.min(rows - from, batches * batch);
      const given = new Float32Array(lane.answer, 0, count * outputWidth);
      for (let i = 0; i < count; i++) {
        for (let k = 0; k < outputs; k++) {
          all[(from + i) * outputs + k] = given[i * outputWidth + k];
        }
      }
    }
    this.#compareOutputs(input.valid, all);
    return all;
  }

  #ask(request: number, values: readonly number[]): void {
    if (!ask(this.#training.lane, request, values)) throw new NoAnswerError("no answer");
  }

  #begin(scratch: Scratch): void {
    const { input, network } = this.#training;
    const { shape, train, valid, targetWidth, levels } = input;
    const { layout, outputWidth } = network;
    const words = rowWords(shape);
    const f32 = (values: ArrayLike<number>): Pointer => {
      const pointer = scratch.allocate(4 * Math.max(1, values.length));
      scratch.arena.f32(pointer, values.length).set(values);
      return pointer;
    };
    const encoded = ({ inputs }: LabelledRows): Pointer => {
      const pointer = scratch.allocate(4 * Math.max(1, inputs.rows * words));
      encodeRows(inputs, shape, scratch.arena.u32(pointer, inputs.rows * words));
      return pointer;
    };
    const { units, unitTable, tables } = inputTables(shape, layout);
    const shares = new Float32Array(layout.size / 2);
    for (const { role, start, length } of layout.tensors) {
      for (let at = start; at < start + length; at += 4) {
        shares.set([RATES[role], decays(role) ? 1 : 0], at / 2);
      }
    }
    const rows = train.inputs.rows;
    const layers = this.#layers();
    this.#ask(
      BEGIN_NETWORK,
      planValues({
        ...shape,
        trainRows: rows,
        validRows: valid?.inputs.rows ?? 0,
        batchRows: this.#batchRows,
        rowWords: words,
        units,
        inputWidth: layout.inputWidth,
        outputWidth,
        targetWidth,
        tableRows: tables.length / 4,
        layerCount: layers.length / LAYER_WORDS,
        size: layout.size,
        scale: this.#starts("scale")[0],
        loss: LOSSES.indexOf(input.lossKind),
        activation: ACTIVATIONS.indexOf(shape.activation),
        train: encoded(train),
        valid: valid ? encoded(valid) : 0,
        target: f32(train.target),
        weights: f32(train.weights ?? new Float32Array(rows).fill(1)),
        levels: f32(levels),
        levelCount: levels.length,
        unitTable: scratch.u32(unitTable),
        tables: scratch.u32(tables),
        shares: f32(shares),
        layers: scratch.u32(layers),
        parameters: f32(network.getParameters()),
      }),
    );
  }

  #starts(...roles: readonly TensorRole[]): number[] {
    const { tensors } = this.#training.network.layout;
    return tensors.filter(({ role }) => roles.includes(role)).map(({ start }) => start);
  }

  #layers(): Uint32Array {
    const { network, input } = this.#training;
    const { inputWidth, inputs } = network.layout;
    const weights = this.#starts("weights", "output_weights");
    const biases = this.#starts("biases", "output_biases");
    const alphas = this.#starts("activation");
    const widths = [...input.shape.widths, network.outputWidth];
    const words = new Uint32Array(LAYER_WORDS * weights.length);
    const floats = new Float32Array(words.buffer);
    widths.forEach((width, l) => {
      const from = widths[l - 1] ?? inputWidth;
      const at = LAYER_WORDS * l;
      words.set([weights[l], biases[l], alphas[l] ?? 0, from, width], at);
      floats[at + 5] = 1 / Math.sqrt(l === 0 ? Math.max(1, inputs) : from);
    });
    return words;
  }

  #readParameters(): void {
    const { lane, network } = this.#training;
    this.#ask(READ_PARAMETERS, []);
    const [next, done] = new Uint32Array(lane.answer, 0, 2);
    if (next !== this.#batches || done !== this.#done) this.#refuse();
    this.#parameters = new Float32Array(lane.answer, PARAMETERS_HEAD, network.layout.size).slice();
    if (this.#parameters.some((value) => !Number.isFinite(value))) throw new DivergedError();
  }

  #compareGradients(rows: Uint32Array, dropout: Dropout): void {
    const { network, cpu } = this.#training;
    const found = this.gradients();
    network.setParameters(this.#parameters);
    const expected = cpu.gradientsOf(rows, dropout);
    let [off, size] = [0, 0];
    for (let i = 0; i < expected.length; i++) {
      off += (found[i] - expected[i]) ** 2;
      size += expected[i] ** 2;
    }
    if (!(Math.sqrt(off) <= GRADIENT_LEAST + GRADIENT_SHARE * Math.sqrt(size))) this.#refuse();
  }

  #compareOutputs({ inputs }: LabelledRows, found: Float64Array): void {
    const { network, input } = this.#training;
    const { outputs } = input.shape;
    const count = Math.min(COMPARED_ROWS, inputs.rows);
    const rows = Uint32Array.from({ length: count }, (_, i) =>
      Math.floor((i * inputs.rows) / count),
    );
    network.setParameters(this.#parameters);
    network.forward(network.embed(inputs, rows), null);
    const expected = network.outputsView(count);
    const { outputWidth } = network;
    let [off, size] = [0, 1];
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < outputs; k++) {
        const own = expected[i * outputWidth + k];
        // What is no number is larger than any bound.
        const distance = Math.abs(found[rows[i] * outputs + k] - own);
        if (distance > off || Number.isNaN(distance)) off = distance;
        size = Math.max(size, Math.abs(own));
      }
    }
    if (Number.isFinite(size) && !(off <= OUTPUT_SHARE * size)) this.#refuse();
  }

  #refuse(): never {
    distrust(this.#training.lane);
    throw new NoAnswerError("a wrong answer");
  }
}
