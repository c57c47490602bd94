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
import type { NetworkInputs } from "./inputs.ts";
import {
  ACTIVATIONS,
  EMBEDDED_WIDTH,
  layoutOf,
  type NetworkLayout,
  type NetworkShape,
  type NetworkTensor,
  numberWidth,
  PERIODIC_WIDTH,
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
  readonly #numbers: Pointer;
  readonly #codes: Int32Array;
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
    this.#numbers = place(shape.numbers * rows);
    this.#codes = new Int32Array(shape.embedded.length * rows);
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
      const layer = {
        weights: tensor,
        biases: biases[l],
        activation: activations[l] ?? null,
        from,
        width,
        factor: 1 / Math.sqrt(inputs),
        given: place(rows * from),
        sums: place(rows * width),
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
    const { numbers, frequencies, oneHot, embedded, statistics } = this.#shape;
    const { inputWidth, tensors } = this.layout;
    const { arena } = this.#scratch;
    const count = upTo(4, rows.length);
    const given = arena.f32(this.#numbers, numbers * count);
    for (let f = 0; f < numbers; f++) {
      const column = inputs.numbers.subarray(f * inputs.rows, (f + 1) * inputs.rows);
      const to = f * count;
      for (let i = 0; i < rows.length; i++) given[to + i] = column[rows[i]];
      given.fill(0, to + rows.length, to + count);
    }
    const out = arena.f32(this.embeddedInputs, count * inputWidth).fill(0);
    let column = 0;
    if (frequencies > 0) {
      const weights = this.parameters + tensors[0].start * 4;
      this.#kernels.embedPeriodic(
        this.#numbers,
        numbers,
        count,
        frequencies,
        weights,
        this.embeddedInputs,
        inputWidth,
        0,
      );
      column = numbers * PERIODIC_WIDTH;
    } else {
      for (; column < numbers; column++) {
        for (let i = 0; i < rows.length; i++) {
          out[i * inputWidth + column] = given[column * count + i];
        }
      }
    }
    oneHot.forEach((columns, t) => {
      const codes = inputs.oneHot.subarray(t * inputs.rows, (t + 1) * inputs.rows);
      for (let i = 0; i < rows.length; i++) {
        const code = codes[rows[i]];
        if (code >= 0) out[i * inputWidth + column + code] = 1;
      }
      column += columns;
    });
    const tables = tensors.filter(({ role }) => role === "embedding");
    embedded.forEach((_, t) => {
      const codes = inputs.embedded.subarray(t * inputs.rows, (t + 1) * inputs.rows);
      const table = this.view(tables[t]);
      for (let i = 0; i < rows.length; i++) {
        const code = codes[rows[i]];
        this.#codes[t * this.batchRows + i] = code;
        const vector = table.subarray(code * EMBEDDED_WIDTH, (code + 1) * EMBEDDED_WIDTH);
        out.set(vector, i * inputWidth + column);
      }
      column += EMBEDDED_WIDTH;
    });
    for (let c = 0; c < statistics; c++) {
      const cells = inputs.statistics.subarray(c * inputs.rows, (c + 1) * inputs.rows);
      for (let i = 0; i < rows.length; i++) out[i * inputWidth + column + c] = cells[rows[i]];
    }
    return count;
  }

  /** From `embeddedInputs` to `outputs`. @param rows a multiple of 4 */
  forward(rows: number, dropout: Dropout | null): void {
    const kernels = this.#kernels;
    const layers = this.#layers;
    const { inputWidth } = this.layout;
    const scale = this.#at(this.#scale);
    kernels.scaleColumns(this.embeddedInputs, scale, rows, inputWidth, layers[0].given);
    layers.forEach((layer, l) => {
      const { given, from, width, sums, activation } = layer;
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
      kernels.activate(
        this.#kind,
        sums,
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
      const { weights, biases, activation, from, width, factor, given, sums } = this.#layers[l];
      if (activation !== null) {
        kernels.activateBack(
          this.#kind,
          sums,
          this.#at(activation),
          rows,
          width,
          ...dropped(dropout, l),
          own,
          to(activation),
        );
      }
      if (gradients !== null) kernels.sumColumns(own, rows, width, to(biases));
      const all = this.#scratch.arena.f32(own, rows * width);
      for (let i = 0; i < all.length; i++) all[i] *= factor;
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
    if (gradients !== null) this.#embedBack(rows, own, gradients);
    return own;
  }

  #embedBack(rows: number, g: Pointer, gradients: Pointer): void {
    const { numbers, frequencies, oneHot, embedded } = this.#shape;
    const { inputWidth, tensors } = this.layout;
    if (frequencies > 0) {
      const { start } = tensors[0];
      this.#kernels.embedPeriodicBack(
        this.#numbers,
        numbers,
        rows,
        frequencies,
        this.parameters + start * 4,
        g,
        inputWidth,
        gradients + start * 4,
        this.#products,
      );
    }
    const { arena } = this.#scratch;
    const all = arena.f32(g, rows * inputWidth);
    let column = numbers * numberWidth(this.#shape) + oneHot.reduce((sum, n) => sum + n, 0);
    const tables = tensors.filter(({ role }) => role === "embedding");
    embedded.forEach((_, t) => {
      const { start, length } = tables[t];
      const table = arena.f32(gradients + start * 4, length).fill(0);
      for (let i = 0; i < rows; i++) {
        const to = this.#codes[t * this.batchRows + i] * EMBEDDED_WIDTH;
        const from = i * inputWidth + column;
        for (let c = 0; c < EMBEDDED_WIDTH; c++) table[to + c] += all[from + c];
      }
      column += EMBEDDED_WIDTH;
    });
  }

  #at(tensor: NetworkTensor): Pointer {
    return this.parameters + tensor.start * 4;
  }
}

function dropped(dropout: Dropout | null, layer: number): [number, number, number] {
  if (dropout === null || dropout.kept >= 1) return [0, 0, 1];
  return [dropout.keys[layer], Math.floor(dropout.kept * 0x1_0000_0000) | 0, 1 / dropout.kept];
}
