/** The dispatches of a network's steps, over buffers that lie on a device: forward, the way back, Adam. */

import { gemmShader, type Product, tileFor, tilesOf } from "../../shaders/gemm.ts";
import { DIMS, type Dims, LANES } from "../../shaders/network.ts";
import {
  EMBED_SIDE,
  type Embedding,
  embedShader,
  PERIODIC_BACK,
  PIECES_BACK,
  TABLE_THREADS,
  TABLES_BACK,
} from "../../shaders/network-inputs.ts";
import {
  ADAM_THREADS,
  ADVANCE,
  activateBack,
  adamShader,
  LOSS_ROWS,
  LOSSES,
  lossShader,
  OUTPUT_BIASES,
  SCALE_BACK,
  SUM_GRADIENTS,
} from "../../shaders/network-layers.ts";
import type { Device } from "./device.ts";
import { DeviceError } from "./device-error.ts";
import type { NetworkPlan } from "./network-requests.ts";
import type { Step } from "./steps.ts";

const BETA_1 = 0.9;
const BETA_2 = 0.95;

/** Of a layer: where its tensors begin among all parameters, and its columns. */
export interface DeviceLayer {
  readonly weights: number;
  readonly biases: number;
  readonly alpha: number;
  readonly reads: number;
  readonly width: number;
  /** 1 / √ of the inputs that are there. */
  readonly factor: number;
}

/** What one way through the network reads and writes. */
export interface Buffers {
  readonly state: GPUBuffer;
  readonly steps: GPUBuffer;
  readonly order: GPUBuffer;
  readonly rows: GPUBuffer;
  readonly units: GPUBuffer;
  readonly parameters: GPUBuffer;
  readonly embedded: GPUBuffer;
  /** Of each layer. */
  readonly given: readonly GPUBuffer[];
  readonly sums: readonly GPUBuffer[];
}

/** What the way back does beside. */
export interface BackBuffers {
  readonly target: GPUBuffer;
  readonly weights: GPUBuffer;
  readonly levels: GPUBuffer;
  readonly tables: GPUBuffer;
  readonly shares: GPUBuffer;
  readonly g: GPUBuffer;
  readonly spare: GPUBuffer;
  readonly gradients: GPUBuffer;
  readonly first: GPUBuffer;
  readonly second: GPUBuffer;
}

/** Parts that the rows of a batch are dealt to: rows of one, and how many. */
export interface Parts {
  readonly rows: number;
  readonly count: number;
}

const PART_ROWS = 256;
/** Of the gradients of all parts together, unless one alone is larger. */
const MOST_GRADIENT_BYTES = 2 ** 26;

export function partsOf({ batchRows, size }: NetworkPlan): Parts {
  const most = Math.max(1, Math.floor(MOST_GRADIENT_BYTES / (4 * size)));
  const count = Math.min(most, Math.ceil(batchRows / PART_ROWS));
  const rows = Math.ceil(batchRows / count);
  return { rows, count: Math.ceil(batchRows / rows) };
}

const embeddingOf = ({ frequencies, pieces }: NetworkPlan): Embedding =>
  frequencies > 0 ? "periodic" : pieces > 0 ? "pieces" : "none";

export interface WayOptions {
  /** Rows of a batch, and of all. */
  readonly batch: number;
  readonly total: number;
  readonly validates: boolean;
}

/** Makes kernels of one way through the network, and lists them in their order. */
export class NetworkSteps {
  readonly #device: Device;
  readonly #plan: NetworkPlan;
  readonly #layers: readonly DeviceLayer[];
  readonly #parts: Parts;
  readonly #uniform: (words: Uint32Array) => Promise<GPUBuffer>;

  /** @param uniform a buffer with these words */
  constructor(
    device: Device,
    plan: NetworkPlan,
    layers: readonly DeviceLayer[],
    uniform: (words: Uint32Array) => Promise<GPUBuffer>,
  ) {
    this.#device = device;
    this.#plan = plan;
    this.#layers = layers;
    this.#parts = partsOf(plan);
    this.#uniform = uniform;
  }

  /** From rows of a batch to the outputs. */
  async forward(buffers: Buffers, options: WayOptions): Promise<Step[]> {
    const { state, steps, order, rows, units, parameters, embedded, given, sums } = buffers;
    const { plan, device } = { plan: this.#plan, device: this.#device };
    const dims = await this.#dimsOf(options);
    const embed = await device.kernel(embedShader(embeddingOf(plan)), [
      ...[dims[0]!, state, order, rows, units],
      ...[parameters, embedded, given[0]!],
    ]);
    const [across, down] = EMBED_SIDE;
    const list: Step[] = [
      {
        kernel: embed,
        groups: [Math.ceil(plan.units / across), Math.ceil(options.batch / down)],
      },
    ];
    for (const [l, { width }] of this.#layers.entries()) {
      const isLast = l === this.#layers.length - 1;
      const bound = isLast
        ? [dims[l]!, state, parameters, given[l]!, sums[l]!]
        : [dims[l]!, state, steps, parameters, given[l]!, sums[l]!, given[l + 1]!];
      list.push(await this.#product(isLast ? "outputs" : "hidden", options.batch, width, bound));
    }
    return list;
  }

  /** From the outputs to the gradients of all parameters, in parts. */
  async backward(buffers: Buffers, back: BackBuffers, options: WayOptions): Promise<Step[]> {
    const { state, steps, order, rows, parameters, embedded, given, sums } = buffers;
    const { gradients } = back;
    const { plan, device } = { plan: this.#plan, device: this.#device };
    const { count: parts } = this.#parts;
    const dims = await this.#dimsOf(options);
    const loss = LOSSES[plan.loss];
    if (loss === undefined) throw new DeviceError(`there is no loss ${plan.loss}`);
    const last = this.#layers.length - 1;
    const columns = (width: number): [number, number] => [Math.ceil(width / LANES), parts];
    const outputs = [dims[last]!, state, order, back.target, back.weights, sums[last]!, back.g];
    const list: Step[] = [
      {
        kernel: await device.kernel(
          lossShader(loss),
          loss === "pinball" ? [...outputs, back.levels] : outputs,
        ),
        groups: [Math.ceil(options.batch / LOSS_ROWS)],
      },
    ];
    let [own, next] = [back.g, back.spare];
    for (let l = last; l >= 0; l--) {
      const { reads, width } = this.#layers[l]!;
      const kernel =
        l === last
          ? await device.kernel(OUTPUT_BIASES, [dims[l]!, state, own, gradients])
          : await device.kernel(activateBack(plan.activation), [
              ...[dims[l]!, state, steps, parameters, sums[l]!],
              ...[own, gradients],
            ]);
      list.push({ kernel, groups: columns(width) });
      list.push(
        await this.#product("weights", reads, width, [dims[l]!, state, given[l]!, own, gradients]),
        await this.#product("inputs", options.batch, reads, [
          ...[dims[l]!, state, parameters, own, next],
        ]),
      );
      [own, next] = [next, own];
    }
    list.push({
      kernel: await device.kernel(SCALE_BACK, [
        ...[dims[0]!, state, parameters, embedded, own, gradients],
      ]),
      groups: columns(plan.inputWidth),
    });
    const embedding = embeddingOf(plan);
    if (embedding !== "none" && plan.numbers > 0) {
      const bound = [dims[0]!, state, order, rows];
      const kernel =
        embedding === "periodic"
          ? await device.kernel(PERIODIC_BACK, [...bound, parameters, own, gradients])
          : await device.kernel(PIECES_BACK, [...bound, own, gradients]);
      list.push({ kernel, groups: [plan.numbers, parts] });
    }
    if (plan.tableRows > 0) {
      const bound = [dims[0]!, state, order, rows, back.tables, own, gradients];
      list.push({
        kernel: await device.kernel(TABLES_BACK, bound),
        groups: [Math.ceil(plan.tableRows / TABLE_THREADS), parts],
      });
    }
    return list;
  }

  /** The step of Adam by the gradients. */
  async move(buffers: Buffers, back: BackBuffers, options: WayOptions): Promise<Step[]> {
    const { state, steps, parameters } = buffers;
    const [dims] = await this.#dimsOf(options);
    const kernel = await this.#device.kernel(adamShader(BETA_1, BETA_2), [
      ...[dims!, state, steps, back.gradients, back.shares],
      ...[parameters, back.first, back.second],
    ]);
    return [{ kernel, groups: [this.#quads()] }, await this.advance(buffers)];
  }

  /** The next batch is due. */
  async advance({ state }: Buffers): Promise<Step> {
    return { kernel: await this.#device.kernel(ADVANCE, [state]), groups: [1] };
  }

  /** The parts' gradients together. */
  async sum({ gradients }: BackBuffers, options: WayOptions): Promise<Step> {
    const [dims] = await this.#dimsOf(options);
    const kernel = await this.#device.kernel(SUM_GRADIENTS, [dims!, gradients]);
    return { kernel, groups: [this.#quads()] };
  }

  #quads(): number {
    return Math.ceil(this.#plan.size / 4 / ADAM_THREADS);
  }

  async #product(
    product: Product,
    rows: number,
    columns: number,
    buffers: readonly GPUBuffer[],
  ): Promise<Step> {
    const parts = product === "weights" ? this.#parts.count : 1;
    const tile = tileFor(rows, columns, parts);
    const kind = product === "hidden" ? this.#plan.activation : 0;
    const kernel = await this.#device.kernel(gemmShader(product, tile, kind), buffers);
    return { kernel, groups: [tilesOf(rows, columns, tile), parts] };
  }

  /** One uniform a layer. */
  async #dimsOf({ batch, total, validates }: WayOptions): Promise<GPUBuffer[]> {
    const { rows, count } = this.#parts;
    const all: GPUBuffer[] = [];
    for (const [layer, own] of this.#layers.entries()) {
      const dims: Dims = {
        ...this.#plan,
        ...own,
        ...{ batch, total, layer, partRows: rows, parts: count, validates: validates ? 1 : 0 },
      };
      const words = new Uint32Array(DIMS.map((name) => dims[name]));
      new Float32Array(words.buffer)[DIMS.indexOf("factor")] = own.factor;
      all.push(await this.#uniform(words));
    }
    return all;
  }
}
