/**
 * A fully connected network in an arena: its parameters, its way forward and its way back.
 *
 * Inputs are embedded (`inputs.ts`), scaled column by column, and pass through hidden layers in the
 * neural tangent parametrisation, x W / √(inputs) + b, with activations x + α (φ(x) - x) whose α is
 * learned (Holzmüller, Grinsztajn & Steinwart, "Better by default", NeurIPS 2024, §3).
 * Products are plain f32 sums in one order, so equal parameters and rows give equal bits everywhere.
 */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { rowNumbers } from "../../compute/row-lists.ts";
import type { Scratch } from "../../compute/scratch.ts";
import { InputEmbedding } from "./input-embedding.ts";
import type { NetworkInputs } from "./inputs.ts";
import {
  ACTIVATIONS,
  layoutOf,
  type NetworkLayout,
  type NetworkShape,
  type NetworkTensor,
  type TensorRole,
  upTo,
} from "./layout.ts";

/** Elements that are dropped in training. */
export interface Dropout {
  /** In (0, 1]. */
  readonly kept: number;
  /** One 32-bit number a hidden layer. */
  readonly keys: Int32Array;
}

interface Layer {
  readonly weights: NetworkTensor;
  readonly biases: NetworkTensor;
  /** Null: the last layer. */
  readonly activation: NetworkTensor | null;
  readonly from: number;
  readonly width: number;
  /** 1 / √ of the inputs that are there. */
  readonly factor: number;
  /** What it reads; rows × from. */
  readonly given: Pointer;
  /** Before the activation; rows × width. */
  readonly sums: Pointer;
  /** Powers of `sums` that its activation and the way back through it have in common; rows × width. */
  readonly powers: Pointer;
}

/** A network and room for the rows of a batch. */
export class Network {
  readonly layout: NetworkLayout;
  readonly parameters: Pointer;
  readonly outputWidth: number;
  /** Rows at most of a batch, a multiple of 4. */
  readonly batchRows: number;
  /** f32, rows × `layout.inputWidth`: embedded inputs. */
  readonly embeddedInputs: Pointer;
  /** f32, rows × `outputWidth`. */
  readonly outputs: Pointer;
  readonly #shape: NetworkShape;
  readonly #scratch: Scratch;
  readonly #kernels: Kernels;
  readonly #embedding: InputEmbedding;
  readonly #products: Pointer;
  readonly #scale: NetworkTensor;
  readonly #layers: readonly Layer[];
  readonly #kind: number;
  /** For gradients that a kernel writes and nobody asked for. */
  readonly #unread: Pointer;

  /** @param batchRows at most */
  constructor(scratch: Scratch, shape: NetworkShape, batchRows: number) {
    const rows = upTo(4, batchRows);
    const layout = layoutOf(shape);
    const place = (numbers: number): Pointer => scratch.allocate(Math.max(4, numbers) * 4);
    this.layout = layout;
    this.batchRows = rows;
    this.#shape = shape;
    this.#scratch = scratch;
    this.#kernels = kernelsOf(scratch.arena);
    this.#kind = ACTIVATIONS.indexOf(shape.activation);
    this.parameters = place(layout.size);
    this.embeddedInputs = place(rows * layout.inputWidth);
    const ofRole = (...roles: TensorRole[]): NetworkTensor[] =>
      layout.tensors.filter(({ role }) => roles.includes(role));
    const weights = ofRole("weights", "output_weights");
    const biases = ofRole("biases", "output_biases");
    const activations = ofRole("activation");
    this.#scale = ofRole("scale")[0];
    let from = layout.inputWidth;
    let inputs = Math.max(1, layout.inputs);
    this.#layers = weights.map((tensor, l): Layer => {
      const width = tensor.length / from;
      const activation = activations[l] ?? null;
      const layer = {
        weights: tensor,
        biases: biases[l],
        activation,
        from,
        width,
        factor: 1 / Math.sqrt(inputs),
        given: place(rows * from),
        sums: place(rows * width),
        powers: activation === null ? 0 : place(rows * width),
      };
      from = width;
      inputs = width;
      return layer;
    });
    const last = this.#layers[this.#layers.length - 1];
    this.outputs = last.sums;
    this.outputWidth = last.width;
    const widest = Math.max(layout.inputWidth, ...this.#layers.map(({ width }) => width));
    this.#unread = place(widest);
    this.#products = place((widest + 8) * Math.max(rows, widest));
    this.#embedding = new InputEmbedding(scratch, shape, rows, {
      parameters: this.parameters,
      embedded: this.embeddedInputs,
    });
  }

  /** f32, for use until the next allocation. */
  view(tensor: NetworkTensor): Float32Array {
    return this.#scratch.arena.f32(this.parameters + tensor.start * 4, tensor.length);
  }

  /** f32, one behind the other as in the layout. */
  getParameters(): Float32Array {
    return this.#scratch.arena.f32(this.parameters, this.layout.size).slice();
  }

  setParameters(parameters: Float32Array): void {
    this.#scratch.arena.f32(this.parameters, this.layout.size).set(parameters);
  }

  /** Of `embeddedInputs`, for use until the next allocation. */
  inputsView(rows: number): Float32Array {
    return this.#scratch.arena.f32(this.embeddedInputs, rows * this.layout.inputWidth);
  }

  /** Likewise of `outputs`. */
  outputsView(rows: number): Float32Array {
    return this.#scratch.arena.f32(this.outputs, rows * this.outputWidth);
  }

  /** Runs all rows through the network. @returns row-major, rows × outputs */
  outputsOf(inputs: NetworkInputs): Float64Array {
    const { outputs } = this.#shape;
    const all = new Float64Array(inputs.rows * outputs);
    const rows = rowNumbers(inputs.rows);
    for (let first = 0; first < inputs.rows; first += this.batchRows) {
      const batch = rows.subarray(first, first + this.batchRows);
      const count = this.embed(inputs, batch);
      this.forward(count, null);
      const given = this.outputsView(count);
      for (let i = 0; i < batch.length; i++) {
        for (let k = 0; k < outputs; k++) {
          all[(first + i) * outputs + k] = given[i * this.outputWidth + k];
        }
      }
    }
    return all;
  }

  /**
   * Reads a batch into `embeddedInputs`; rows that fill a vector of four are zeros.
   *
   * @param rows of `inputs`
   * @returns the rows of the batch with those
   */
  embed(inputs: NetworkInputs, rows: Uint32Array): number {
    return this.#embedding.read(inputs, rows);
  }

  /** From `embeddedInputs` to `outputs`. @param rows a multiple of 4 */
  forward(rows: number, dropout: Dropout | null): void {
    const kernels = this.#kernels;
    const layers = this.#layers;
    const { inputWidth } = this.layout;
    const scale = this.#at(this.#scale);
    kernels.scaleColumns(this.embeddedInputs, scale, rows, inputWidth, layers[0].given);
    layers.forEach((layer, l) => {
      const { given, from, width, sums, powers, activation } = layer;
      const weights = this.#at(layer.weights);
      kernels.multiplyMatrices(
        rows,
        width,
        from,
        given,
        from,
        1,
        weights,
        width,
        1,
        sums,
        width,
        0,
        this.#products,
      );
      kernels.scaleAndShift(sums, rows, width, layer.factor, this.#at(layer.biases));
      if (activation === null) return;
      kernels.raise(this.#kind, sums, rows * width, powers);
      kernels.activate(
        this.#kind,
        sums,
        powers,
        this.#at(activation),
        rows,
        width,
        ...dropped(dropout, l),
        layers[l + 1].given,
      );
    });
  }

  /**
   * From the loss by the outputs to the loss by the parameters and by the embedded inputs, after
   * `forward` of the same batch.
   *
   * @param rows likewise
   * @param g f32, room for rows × the widest layer: first rows × `outputWidth` of the loss by the
   *   outputs, then rows × `layout.inputWidth` of that by the embedded inputs
   * @param spare as `g`
   * @param gradients f32, as `parameters`; null: those are not asked for
   * @returns which of `g` and `spare` holds the loss by the embedded inputs
   */
  backward(
    rows: number,
    dropout: Dropout | null,
    g: Pointer,
    spare: Pointer,
    gradients: Pointer | null,
  ): Pointer {
    const kernels = this.#kernels;
    const to = (tensor: NetworkTensor): Pointer =>
      gradients === null ? this.#unread : gradients + tensor.start * 4;
    let [own, next] = [g, spare];
    for (let l = this.#layers.length - 1; l >= 0; l--) {
      const { weights, biases, activation, from, width, factor, given, sums, powers } =
        this.#layers[l];
      if (activation !== null) {
        kernels.activateBack(
          this.#kind,
          sums,
          powers,
          this.#at(activation),
          rows,
          width,
          ...dropped(dropout, l),
          own,
          to(activation),
        );
      }
      kernels.sumAndScale(own, rows, width, factor, to(biases));
      if (gradients !== null) {
        // givenᵀ · own.
        kernels.multiplyMatrices(
          from,
          width,
          rows,
          given,
          1,
          from,
          own,
          width,
          1,
          to(weights),
          width,
          0,
          this.#products,
        );
      }
      // own · weightsᵀ.
      kernels.multiplyMatrices(
        rows,
        from,
        width,
        own,
        width,
        1,
        this.#at(weights),
        1,
        width,
        next,
        from,
        0,
        this.#products,
      );
      [own, next] = [next, own];
    }
    const { inputWidth } = this.layout;
    const scale = this.#scale;
    kernels.scaleColumnsBack(
      this.embeddedInputs,
      this.#at(scale),
      rows,
      inputWidth,
      own,
      to(scale),
    );
    if (gradients !== null) this.#embedding.back(rows, own, gradients);
    return own;
  }

  #at(tensor: NetworkTensor): Pointer {
    return this.parameters + tensor.start * 4;
  }
}

/**
 * What kernels go by: the layer's key, of 2³² below which hashes are kept (0: all are), and what the kept are
 * multiplied by.
 */
export function dropped(dropout: Dropout | null, layer: number): [number, number, number] {
  if (dropout === null || dropout.kept >= 1) return [0, 0, 1];
  return [dropout.keys[layer], Math.floor(dropout.kept * 0x1_0000_0000) | 0, 1 / dropout.kept];
}
