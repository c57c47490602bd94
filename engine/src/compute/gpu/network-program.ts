/**
 * Training networks on a device: parameters, the optimiser's moments and the encoded rows of a fit lie there, and
 * blocks of steps run one behind another without the CPU. See `families/mlp/device-trainer.ts` for the fit's
 * side.
 */

import { MOST_HIDDEN, STEP_WORDS } from "../../shaders/network.ts";
import type { BufferUse } from "./device.ts";
import { DeviceError } from "./device-error.ts";
import {
  BEGIN_EPOCH,
  BEGIN_NETWORK,
  LAYER_WORDS,
  type NetworkPlan,
  PARAMETERS_HEAD,
  PLAN,
  READ_GRADIENTS,
  READ_OUTPUTS,
  READ_PARAMETERS,
  TRAIN_STEPS,
  validBatch,
} from "./network-requests.ts";
import { type Buffers, type DeviceLayer, NetworkSteps, partsOf } from "./network-steps.ts";
import type { Program, Scene, Session } from "./program.ts";
import type { Step } from "./steps.ts";

export const networkProgram: Program = {
  from: BEGIN_NETWORK,
  end: 56,
  open: (scene) => new NetworkSession(scene),
};

/** What lies on the device for one fit. */
interface Held {
  readonly plan: NetworkPlan;
  readonly state: GPUBuffer;
  readonly order: GPUBuffer;
  readonly steps: GPUBuffer;
  readonly parameters: GPUBuffer;
  readonly gradients: GPUBuffer;
  readonly readback: GPUBuffer;
  readonly forward: readonly Step[];
  readonly backward: readonly Step[];
  readonly move: readonly Step[];
  readonly sum: Step;
  readonly valid: Valid | null;
}

interface Valid {
  readonly state: GPUBuffer;
  readonly outputs: GPUBuffer;
  readonly forward: readonly Step[];
  readonly advance: Step;
}

class NetworkSession implements Session {
  readonly #scene: Scene;
  readonly #taken: { readonly buffer: GPUBuffer; readonly use: BufferUse }[] = [];
  #held: Held | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async answer(request: number, values: Uint32Array, answer: Uint8Array): Promise<void> {
    switch (request) {
      case BEGIN_NETWORK:
        return this.#begin(values);
      case BEGIN_EPOCH:
        return this.#beginEpoch(values);
      case TRAIN_STEPS:
        return this.#train(values);
      case READ_PARAMETERS:
        return this.#readParameters(answer);
      case READ_OUTPUTS:
        return this.#readOutputs(values, answer);
      case READ_GRADIENTS:
        return this.#readGradients(values, answer);
      default:
        throw new DeviceError(`there is no request ${request}`);
    }
  }

  close(): void {
    for (const { buffer, use } of this.#taken.splice(0)) this.#scene.device.release(buffer, use);
    this.#held = null;
  }

  async #take(bytes: number, use: BufferUse = "storage"): Promise<GPUBuffer> {
    const buffer = await this.#scene.device.buffer(bytes, use);
    this.#taken.push({ buffer, use });
    return buffer;
  }

  /** A buffer with bytes of the arena. */
  async #upload(pointer: number, bytes: number): Promise<GPUBuffer> {
    const buffer = await this.#take(bytes);
    if (bytes > 0) this.#write(buffer, pointer, bytes);
    return buffer;
  }

  #write(buffer: GPUBuffer, pointer: number, bytes: number): void {
    this.#scene.device.write(buffer, 0, new Uint8Array(this.#scene.bytes(), pointer, bytes));
  }

  async #uniform(words: Uint32Array): Promise<GPUBuffer> {
    const buffer = await this.#take(words.byteLength, "uniform");
    this.#scene.device.write(buffer, 0, words);
    return buffer;
  }

  async #begin(values: Uint32Array): Promise<void> {
    this.close();
    const plan = readPlan(values);
    const layers = this.#layersOf(plan);
    const { device } = this.#scene;
    const floats = (numbers: number): Promise<GPUBuffer> => this.#take(4 * numbers);
    const { trainRows, validRows, batchRows, size, inputWidth, outputWidth } = plan;
    const rows =
      validRows > 0 ? Math.max(batchRows, Math.min(validRows, validBatch(plan))) : batchRows;
    const widest = Math.max(inputWidth, ...layers.map(({ width }) => width));
    const given: GPUBuffer[] = [];
    const sums: GPUBuffer[] = [];
    for (const { reads, width } of layers) {
      given.push(await floats(rows * reads));
      sums.push(await floats(rows * width));
    }
    const batches = Math.max(1, Math.floor(trainRows / batchRows));
    const common: Buffers = {
      state: await this.#take(PARAMETERS_HEAD),
      steps: await this.#take(4 * STEP_WORDS * batches),
      order: await this.#take(4 * trainRows),
      rows: await this.#upload(plan.train, 4 * plan.rowWords * trainRows),
      units: await this.#upload(plan.unitTable, 16 * (plan.units - plan.numbers)),
      parameters: await this.#upload(plan.parameters, 4 * size),
      embedded: await floats(rows * inputWidth),
      given,
      sums,
    };
    const back = {
      target: await this.#upload(plan.target, 4 * plan.targetWidth * trainRows),
      weights: await this.#upload(plan.weights, 4 * trainRows),
      levels: await this.#upload(plan.levels, 4 * plan.levelCount),
      tables: await this.#upload(plan.tables, 16 * plan.tableRows),
      shares: await this.#upload(plan.shares, 2 * size),
      g: await floats(batchRows * widest),
      spare: await floats(batchRows * widest),
      gradients: await floats(partsOf(plan).count * size),
      first: await floats(size),
      second: await floats(size),
    };
    const steps = new NetworkSteps(device, plan, layers, (words) => this.#uniform(words));
    const options = { batch: batchRows, total: batches * batchRows, validates: false };
    const valid = validRows === 0 ? null : await this.#validate(plan, steps, common);
    const outputBytes = validRows === 0 ? 0 : 4 * validRows * outputWidth;
    this.#held = {
      plan,
      state: common.state,
      order: common.order,
      steps: common.steps,
      parameters: common.parameters,
      gradients: back.gradients,
      readback: await this.#take(Math.max(PARAMETERS_HEAD + 4 * size, outputBytes), "readback"),
      forward: await steps.forward(common, options),
      backward: await steps.backward(common, back, options),
      move: await steps.move(common, back, options),
      sum: await steps.sum(back, options),
      valid,
    };
    device.write(common.state, 0, new Uint32Array(PARAMETERS_HEAD / 4));
    // What fills tensors up is added like gradients.
    const cleared = [back.gradients, back.first, back.second];
    await device.run({ steps: cleared.map((clear) => ({ clear, bytes: clear.size })) });
  }

  async #validate(plan: NetworkPlan, steps: NetworkSteps, common: Buffers): Promise<Valid> {
    const { validRows } = plan;
    const order = await this.#take(4 * validRows);
    this.#scene.device.write(
      order,
      0,
      Uint32Array.from({ length: validRows }, (_, row) => row),
    );
    const buffers: Buffers = {
      ...common,
      state: await this.#take(PARAMETERS_HEAD),
      order,
      rows: await this.#upload(plan.valid, 4 * plan.rowWords * validRows),
    };
    const batch = Math.min(validRows, validBatch(plan));
    const options = { batch, total: validRows, validates: true };
    return {
      state: buffers.state,
      outputs: buffers.sums.at(-1)!,
      forward: await steps.forward(buffers, options),
      advance: await steps.advance(buffers),
    };
  }

  #layersOf({ layers, layerCount }: NetworkPlan): DeviceLayer[] {
    if (layerCount - 1 > MOST_HIDDEN) {
      throw new DeviceError(`${layerCount - 1} hidden layers are more than ${MOST_HIDDEN}`);
    }
    const bytes = this.#scene.bytes();
    const words = new Uint32Array(bytes, layers, LAYER_WORDS * layerCount);
    const floats = new Float32Array(bytes, layers, LAYER_WORDS * layerCount);
    return Array.from({ length: layerCount }, (_, l) => {
      const at = LAYER_WORDS * l;
      const [weights, biases, alpha, reads, width] = words.subarray(at);
      return {
        weights: weights!,
        biases: biases!,
        alpha: alpha!,
        reads: reads!,
        width: width!,
        factor: floats[at + 5]!,
      };
    });
  }

  async #beginEpoch([order, rows, steps, count]: Uint32Array): Promise<void> {
    const held = this.#fit();
    this.#write(held.order, order!, 4 * rows!);
    this.#write(held.steps, steps!, 4 * STEP_WORDS * count!);
    this.#scene.device.write(held.state, 0, new Uint32Array(1));
  }

  async #train([count]: Uint32Array): Promise<void> {
    const { forward, backward, move } = this.#fit();
    const one = [...forward, ...backward, ...move];
    const steps = Array.from({ length: count! }, () => one).flat();
    await this.#scene.device.run({ steps });
  }

  async #readParameters(answer: Uint8Array): Promise<void> {
    const { plan, state, parameters, readback } = this.#fit();
    const bytes = PARAMETERS_HEAD + 4 * plan.size;
    await this.#scene.device.run(
      {
        steps: [
          { copy: state, from: 0, to: readback, at: 0, bytes: PARAMETERS_HEAD },
          { copy: parameters, from: 0, to: readback, at: PARAMETERS_HEAD, bytes: 4 * plan.size },
        ],
        read: { buffer: readback, bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }

  async #readOutputs([first, batches]: Uint32Array, answer: Uint8Array): Promise<void> {
    const { plan, valid, readback } = this.#fit();
    if (valid === null) throw new DeviceError("this fit has no validation rows");
    const { validRows, outputWidth } = plan;
    const batch = Math.min(validRows, validBatch(plan));
    this.#scene.device.write(valid.state, 0, Uint32Array.of(first!));
    const steps: Step[] = [];
    let at = 0;
    for (let b = first!; b < first! + batches!; b++) {
      const bytes = 4 * outputWidth * Math.min(batch, validRows - b * batch);
      steps.push(...valid.forward, valid.advance);
      steps.push({ copy: valid.outputs, from: 0, to: readback, at, bytes });
      at += bytes;
    }
    await this.#scene.device.run({ steps, read: { buffer: readback, bytes: at } }, (read) =>
      answer.set(new Uint8Array(read)),
    );
  }

  async #readGradients([step]: Uint32Array, answer: Uint8Array): Promise<void> {
    const { plan, state, forward, backward, sum, gradients, readback } = this.#fit();
    const bytes = 4 * plan.size;
    this.#scene.device.write(state, 0, Uint32Array.of(step!));
    await this.#scene.device.run(
      {
        steps: [
          ...forward,
          ...backward,
          sum,
          { copy: gradients, from: 0, to: readback, at: 0, bytes },
        ],
        read: { buffer: readback, bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }

  #fit(): Held {
    if (this.#held === null) throw new DeviceError("nothing of this fit is there");
    return this.#held;
  }
}

function readPlan(values: Uint32Array): NetworkPlan {
  const entries = PLAN.map((name, i) => [name, values[i]!] as const);
  return Object.fromEntries(entries) as NetworkPlan;
}
