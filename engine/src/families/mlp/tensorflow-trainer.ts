/**
 * Training by TensorFlow.js, in the one of its packages that is installed (`@tensorflow/tfjs-node-gpu` computes on CUDA):
 * the same network, batches, dropout and steps as the CPU's, with its own order of sums.
 */

import { createRequire } from "node:module";
import type * as TensorFlow from "@tensorflow/tfjs";
import { batchesOf, dropoutKeys } from "./cpu-trainer.ts";
import type { NetworkInputs } from "./inputs.ts";
import {
  EMBEDDED_WIDTH,
  PERIODIC_COMBINATIONS,
  PERIODIC_WIDTH,
  type TensorRole,
} from "./layout.ts";
import type { Network } from "./network.ts";
import { BETA_1, BETA_2, decays, RATES, Schedule, type ScheduledStep } from "./schedule.ts";
import { DivergedError, type Trainer, type TrainingInput } from "./training-input.ts";
import { unitMasks } from "./unit-masks.ts";

type Tf = typeof TensorFlow;
type Tensor = TensorFlow.Tensor;

/** A tensor of the network with the optimiser's moments. */
interface Learned {
  readonly role: TensorRole;
  readonly start: number;
  readonly value: TensorFlow.Variable;
  readonly first: TensorFlow.Variable;
  readonly second: TensorFlow.Variable;
}

const VALID_ROWS = 2048;

/** @throws Error where the package does not load */
export function loadTensorFlow(name: string): Tf {
  return createRequire(import.meta.url)(name);
}

export class TensorFlowTrainer implements Trainer {
  /** How the library computes, for the facts. */
  readonly device: string;
  readonly #tf: Tf;
  readonly #input: TrainingInput;
  readonly #network: Network;
  readonly #schedule: Schedule;
  readonly #learned: readonly Learned[];

  constructor(tf: Tf, network: Network, input: TrainingInput) {
    this.#tf = tf;
    this.#input = input;
    this.#network = network;
    this.#schedule = new Schedule(input.parameters);
    this.#learned = network.layout.tensors.map((tensor) => {
      const zeros = (): TensorFlow.Variable =>
        tf.tidy(() => tf.variable(tf.zeros([tensor.length]), false));
      return {
        role: tensor.role,
        start: tensor.start,
        value: tf.tidy(() => tf.variable(tf.tensor1d(network.view(tensor).slice()))),
        first: zeros(),
        second: zeros(),
      };
    });
    // By now there is one.
    this.device = `tensorflow (${tf.getBackend()})`;
  }

  train(epoch: number, order: Uint32Array): boolean {
    const { parameters, limits, shape } = this.#input;
    const { batchRows, batches } = batchesOf(this.#input);
    const keys = dropoutKeys(this.#input, epoch);
    for (let batch = 0; batch < batches; batch++) {
      const step = this.#schedule.next((epoch + batch / batches) / parameters.epochs);
      const rows = order.subarray(batch * batchRows, (batch + 1) * batchRows);
      const masks = unitMasks({ kept: step.kept, keys: keys() }, shape.widths, rows.length);
      this.#tf.tidy(() => this.#move(step, this.#gradients(rows, masks)));
      if (epoch === 0) limits.throwIfLate();
      if (limits.abandons()) return false;
    }
    return true;
  }

  parameters(): Float32Array {
    const all = new Float32Array(this.#network.layout.size);
    for (const { start, value } of this.#learned) all.set(value.dataSync(), start);
    if (all.some((each) => !Number.isFinite(each))) throw new DivergedError();
    return all;
  }

  outputs(): Float64Array {
    const { valid, shape } = this.#input;
    if (valid === null) return new Float64Array();
    const { inputs } = valid;
    const all = new Float64Array(inputs.rows * shape.outputs);
    for (let first = 0; first < inputs.rows; first += VALID_ROWS) {
      const count = Math.min(VALID_ROWS, inputs.rows - first);
      const rows = Uint32Array.from({ length: count }, (_, i) => first + i);
      all.set(
        this.#tf.tidy(() => this.#forward(inputs, rows, []).dataSync()),
        first * shape.outputs,
      );
    }
    return all;
  }

  /** Those of a batch of training rows, as the parameters lie. @param masks see `unitMasks` */
  gradientsOf(rows: Uint32Array, masks: readonly Float32Array[]): Float32Array {
    const all = new Float32Array(this.#network.layout.size);
    this.#tf.tidy(() => {
      const gradients = this.#gradients(rows, masks);
      this.#learned.forEach(({ start }, i) => {
        all.set(gradients[i].dataSync(), start);
      });
    });
    return all;
  }

  close(): void {
    for (const { value, first, second } of this.#learned) {
      this.#tf.dispose([value, first, second]);
    }
  }

  /** One a learned tensor, zeros where the loss does not depend on it. */
  #gradients(rows: Uint32Array, masks: readonly Float32Array[]): Tensor[] {
    const tf = this.#tf;
    const variables = this.#learned.map(({ value }) => value);
    const { grads } = tf.variableGrads(() => this.#loss(rows, masks), variables);
    return variables.map((variable) => grads[variable.name] ?? tf.zerosLike(variable));
  }

  #move({ rate, corrections, fading }: ScheduledStep, gradients: readonly Tensor[]): void {
    const { weightDecay } = this.#input.parameters;
    this.#learned.forEach(({ role, value, first, second }, i) => {
      const gradient = gradients[i];
      const own = rate * RATES[role];
      const m = first.mul(BETA_1).add(gradient.mul(1 - BETA_1));
      const v = second.mul(BETA_2).add(gradient.square().mul(1 - BETA_2));
      first.assign(m);
      second.assign(v);
      const size = v.mul(corrections[1]).sqrt().add(1e-8);
      const kept = 1 - (decays(role) ? own * weightDecay * fading : 0);
      value.assign(value.mul(kept).sub(m.mul(own * corrections[0]).div(size)));
    });
  }

  /** The mean of weighted losses, whose gradients are those of `loss.ts`. */
  #loss(rows: Uint32Array, masks: readonly Float32Array[]): TensorFlow.Scalar {
    const tf = this.#tf;
    const { train, targetWidth, lossKind, levels } = this.#input;
    const outputs = this.#forward(train.inputs, rows, masks);
    const target = tf.tensor2d(gathered(train.target, rows, targetWidth), [
      rows.length,
      targetWidth,
    ]);
    const weights = tf.tensor1d(Float32Array.from(rows, (row) => train.weights?.[row] ?? 1));
    const losses = (): Tensor => {
      switch (lossKind) {
        case "squared_error":
          return outputs.sub(target).square().mul(0.5).sum(1);
        case "pinball": {
          const error = target.sub(outputs);
          const level = tf.tensor1d([...levels]);
          return tf.maximum(error.mul(level), error.mul(level.sub(1))).sum(1);
        }
        case "binary_log_loss":
          return tf.softplus(outputs).sub(outputs.mul(target)).sum(1);
        case "multinomial_log_loss":
          return tf.logSumExp(outputs, 1).sub(outputs.mul(target).sum(1));
      }
    };
    return losses().mul(weights).sum().div(rows.length).asScalar();
  }

  /** @param masks of the hidden layers; empty: nothing is dropped. @returns rows × outputs */
  #forward(
    inputs: NetworkInputs,
    rows: Uint32Array,
    masks: readonly Float32Array[],
  ): TensorFlow.Tensor2D {
    const tf = this.#tf;
    const { shape } = this.#input;
    const { layout, outputWidth } = this.#network;
    const [scale] = this.#ofRole("scale");
    const weights = [...this.#ofRole("weights"), ...this.#ofRole("output_weights")];
    const biases = [...this.#ofRole("biases"), ...this.#ofRole("output_biases")];
    const alphas = this.#ofRole("activation");
    const widths = [...shape.widths, outputWidth];
    let given = this.#embed(inputs, rows).mul(scale);
    let from = layout.inputWidth;
    let fanIn = Math.max(1, layout.inputs);
    widths.forEach((width, l) => {
      const product = tf.matMul(
        given.reshape([rows.length, from]),
        weights[l].reshape([from, width]),
      );
      const sums = product.mul(1 / Math.sqrt(fanIn)).add(biases[l]);
      given = sums;
      if (l < shape.widths.length) {
        const bent =
          shape.activation === "selu" ? tf.selu(sums) : sums.mul(tf.softplus(sums).tanh());
        given = sums.add(alphas[l].mul(bent.sub(sums)));
        if (masks.length > 0) given = given.mul(tf.tensor2d(masks[l], [rows.length, width]));
      }
      from = width;
      fanIn = width;
    });
    return tf.slice2d(given.reshape([rows.length, outputWidth]), [0, 0], [-1, shape.outputs]);
  }

  #embed(inputs: NetworkInputs, rows: Uint32Array): Tensor {
    const tf = this.#tf;
    const { shape } = this.#input;
    const { layout } = this.#network;
    const count = rows.length;
    const parts: Tensor[] = [];
    if (shape.numbers > 0) {
      const x = this.#columns(inputs.numbers, inputs.rows, rows, shape.numbers);
      const combined = this.#combine(x, inputs, rows);
      parts.push(
        combined === null
          ? x
          : tf
              .concat([x.expandDims(2), combined], 2)
              .reshape([count, shape.numbers * PERIODIC_WIDTH]),
      );
    }
    shape.oneHot.forEach((columns, t) => {
      const codes = Int32Array.from(rows, (row) => inputs.oneHot[t * inputs.rows + row]);
      // No column is -1, and so of a cell that has none.
      parts.push(tf.tensor1d(codes, "int32").expandDims(1).equal(tf.range(0, columns)).toFloat());
    });
    this.#ofRole("embedding").forEach((table, t) => {
      const codes = Int32Array.from(rows, (row) => inputs.embedded[t * inputs.rows + row]);
      parts.push(tf.gather(table.reshape([-1, EMBEDDED_WIDTH]), tf.tensor1d(codes, "int32")));
    });
    if (shape.statistics > 0) {
      parts.push(this.#columns(inputs.statistics, inputs.rows, rows, shape.statistics));
    }
    const filling = layout.inputWidth - layout.inputs;
    if (filling > 0) parts.push(tf.zeros([count, filling]));
    return tf.concat(parts, 1);
  }

  /** What stands beside each number, rows × numbers × 3; null: nothing does. */
  #combine(x: Tensor, inputs: NetworkInputs, rows: Uint32Array): Tensor | null {
    const tf = this.#tf;
    const { numbers, frequencies, pieces } = this.#input.shape;
    /** Of features with a table each: rows × numbers × k by numbers × k × 3. */
    const mixed = (by: Tensor, tables: Tensor): Tensor =>
      tf.matMul(by.transpose([1, 0, 2]), tables).transpose([1, 0, 2]);
    if (frequencies > 0) {
      const [all] = this.#ofRole("frequencies");
      const each = numbers * frequencies;
      const part = (start: number, ...sizes: number[]): Tensor =>
        all
          .slice(
            start,
            sizes.reduce((product, size) => product * size, 1),
          )
          .reshape(sizes);
      const turns = x
        .expandDims(2)
        .mul(part(0, numbers, frequencies))
        .add(part(each, numbers, frequencies));
      const waves = turns
        .sub(turns.round())
        .mul(2 * Math.PI)
        .cos();
      const mix = part(2 * each, numbers, frequencies, PERIODIC_COMBINATIONS);
      const first = (2 + PERIODIC_COMBINATIONS) * each;
      return mixed(waves, mix).add(part(first, numbers, PERIODIC_COMBINATIONS));
    }
    if (pieces === 0) return null;
    const [all] = this.#ofRole("pieces");
    const knots = all
      .reshape([numbers, pieces + 1, PERIODIC_WIDTH])
      .slice([0, 0, 1], [-1, -1, PERIODIC_COMBINATIONS]);
    const places = this.#columns(inputs.places, inputs.rows, rows, numbers).expandDims(2);
    const rises = places.sub(tf.range(0, pieces)).clipByValue(0, 1);
    return mixed(tf.concat([tf.ones([rows.length, numbers, 1]), rises], 2), knots);
  }

  #columns(columns: Float32Array, step: number, rows: Uint32Array, count: number): Tensor {
    const values = new Float32Array(rows.length * count);
    for (let i = 0; i < rows.length; i++) {
      for (let c = 0; c < count; c++) values[i * count + c] = columns[c * step + rows[i]];
    }
    return this.#tf.tensor2d(values, [rows.length, count]);
  }

  #ofRole(role: TensorRole): Tensor[] {
    return this.#learned.filter((each) => each.role === role).map(({ value }) => value);
  }
}

function gathered(values: Float64Array, rows: Uint32Array, width: number): Float32Array {
  const out = new Float32Array(rows.length * width);
  for (let i = 0; i < rows.length; i++) {
    for (let k = 0; k < width; k++) out[i * width + k] = values[rows[i] * width + k];
  }
  return out;
}
