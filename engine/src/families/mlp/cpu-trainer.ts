/** Training on this thread, by the kernels: equal bits on every machine. */

import type { Pointer } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, extendKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { Dropout, Network } from "./network.ts";
import { BETA_1, BETA_2, decays, RATES, Schedule, type ScheduledStep } from "./schedule.ts";
import type { Trainer, TrainingInput } from "./training-input.ts";

/** Keys of dropout for the steps of an epoch, one a hidden layer. */
export function dropoutKeys({ key, shape }: TrainingInput, epoch: number): () => Int32Array {
  const random = new CounterRandom(extendKey(key, "dropout", epoch));
  return () => Int32Array.from(shape.widths, () => random.nextUint32() | 0);
}

/** Rows of a batch, and batches of an epoch: what is left over of the rows is in another epoch's. */
export function batchesOf({ parameters, train }: Pick<TrainingInput, "parameters" | "train">): {
  readonly batchRows: number;
  readonly batches: number;
} {
  const batchRows = Math.min(parameters.batchSize, train.inputs.rows);
  return { batchRows, batches: Math.max(1, Math.floor(train.inputs.rows / batchRows)) };
}

export class CpuTrainer implements Trainer {
  readonly #scratch: Scratch;
  readonly #network: Network;
  readonly #input: TrainingInput;
  readonly #moments: readonly [Pointer, Pointer];
  readonly #gradients: Pointer;
  readonly #lossGradient: Pointer;
  readonly #spare: Pointer;
  readonly #schedule: Schedule;

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
    this.#schedule = new Schedule(input.parameters);
    this.#moments = [zeros(size), zeros(size)];
    this.#gradients = zeros(size);
    this.#lossGradient = zeros(network.batchRows * widest);
    this.#spare = zeros(network.batchRows * widest);
  }

  train(epoch: number, order: Uint32Array): boolean {
    const { parameters, limits } = this.#input;
    const { batchRows, batches } = batchesOf(this.#input);
    const keys = dropoutKeys(this.#input, epoch);
    for (let batch = 0; batch < batches; batch++) {
      const step = this.#schedule.next((epoch + batch / batches) / parameters.epochs);
      const rows = order.subarray(batch * batchRows, (batch + 1) * batchRows);
      this.gradientsOf(rows, { kept: step.kept, keys: keys() });
      this.#move(step);
      if (epoch === 0) limits.throwIfLate();
      if (limits.abandons()) return false;
    }
    return true;
  }

  parameters(): Float32Array {
    return this.#network.getParameters();
  }

  outputs(): Float64Array {
    const { valid } = this.#input;
    return valid === null ? new Float64Array() : this.#network.outputsOf(valid.inputs);
  }

  /** Of a batch of training rows. @returns for use until the next allocation, as the parameters */
  gradientsOf(rows: Uint32Array, dropout: Dropout): Float32Array {
    const network = this.#network;
    const count = network.embed(this.#input.train.inputs, rows);
    network.forward(count, dropout);
    this.#writeLossGradient(rows, count);
    network.backward(count, dropout, this.#lossGradient, this.#spare, this.#gradients);
    return this.#scratch.arena.f32(this.#gradients, network.layout.size);
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
      loss.gradientOf(given, at, train.target, row * targetWidth, gradient);
      const share = (train.weights?.[row] ?? 1) / rows.length;
      for (let k = 0; k < shape.outputs; k++) gradient[at + k] *= share;
    }
  }

  #move({ rate, corrections, fading }: ScheduledStep): void {
    const network = this.#network;
    const { weightDecay } = this.#input.parameters;
    const kernels = kernelsOf(this.#scratch.arena);
    for (const { role, start, length } of network.layout.tensors) {
      const own = rate * RATES[role];
      kernels.adamStep(
        network.parameters + start * 4,
        this.#gradients + start * 4,
        this.#moments[0] + start * 4,
        this.#moments[1] + start * 4,
        Math.ceil(length / 4) * 4,
        own,
        BETA_1,
        BETA_2,
        ...corrections,
        decays(role) ? own * weightDecay * fading : 0,
      );
    }
  }
}
