/**
 * A network that only predicts: its weights lie in an arena as products read them (see
 * `kernels/assembly/networks/network-forward.ts`), once for all calls. Its bits are those of `Network`.
 */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import type { NetworkInputs } from "./inputs.ts";
import {
  ACTIVATIONS,
  BATCH_ROWS,
  EMBEDDED_WIDTH,
  layoutOf,
  type NetworkLayout,
  type NetworkShape,
  type NetworkTensor,
  numberWidth,
  PERIODIC_WIDTH,
  upTo,
} from "./layout.ts";

/** In place of an activation. */
const NONE = ACTIVATIONS.length;

interface Layer {
  readonly kind: number;
  readonly weights: Pointer;
  readonly biases: Pointer;
  readonly alpha: Pointer;
  readonly from: number;
  readonly width: number;
  readonly factor: number;
}

export class PackedNetwork {
  /** Of the arena that holds the weights. */
  readonly memory: WebAssembly.Memory;
  readonly #shape: NetworkShape;
  readonly #layout: NetworkLayout;
  /** Weights of the embedding of numbers. */
  readonly #embedding: Pointer;
  readonly #scale: Pointer;
  /** One an embedded term, as stored. */
  readonly #tables: readonly Float32Array[];
  readonly #layers: readonly Layer[];

  /**
   * @param scratch where the weights are put
   * @param parameters f32, as in the layout
   */
  constructor(scratch: Scratch, shape: NetworkShape, parameters: Float32Array) {
    const { arena } = scratch;
    const layout = layoutOf(shape);
    const kernels = kernelsOf(arena);
    const place = ({ start, length }: NetworkTensor, into: Scratch): Pointer => {
      const pointer = into.allocate(Math.max(4, length) * 4);
      arena.f32(pointer, length).set(parameters.subarray(start, start + length));
      return pointer;
    };
    const panels = (tensor: NetworkTensor, width: number): Pointer => {
      const packed = scratch.allocate(tensor.length * 4);
      withScratch(arena, (working) =>
        kernels.packPanels(place(tensor, working), tensor.length / width, width, packed),
      );
      return packed;
    };
    const layers: Layer[] = [];
    let [embedding, scale] = [0, 0];
    const tables: Float32Array[] = [];
    let from = layout.inputWidth;
    let inputs = Math.max(1, layout.inputs);
    for (const [at, tensor] of layout.tensors.entries()) {
      const { role, start, length } = tensor;
      if (role === "frequencies" || role === "pieces") embedding = place(tensor, scratch);
      else if (role === "scale") scale = place(tensor, scratch);
      else if (role === "embedding") tables.push(parameters.subarray(start, start + length));
      else if (role === "weights" || role === "output_weights") {
        const isLast = role === "output_weights";
        const width = length / from;
        const [, biases, activation] = layout.tensors.slice(at, at + 3);
        layers.push({
          kind: isLast ? NONE : ACTIVATIONS.indexOf(shape.activation),
          weights: panels(tensor, width),
          biases: place(biases, scratch),
          alpha: isLast ? 0 : place(activation, scratch),
          from,
          width,
          factor: 1 / Math.sqrt(inputs),
        });
        from = width;
        inputs = width;
      }
    }
    this.memory = arena.memory;
    this.#shape = shape;
    this.#layout = layout;
    this.#embedding = embedding;
    this.#scale = scale;
    this.#tables = tables;
    this.#layers = layers;
  }

  /**
   * Runs all rows through the network.
   *
   * @param scratch of the arena that holds the weights
   * @returns row-major, rows × outputs
   */
  outputsOf(scratch: Scratch, inputs: NetworkInputs): Float64Array {
    const { numbers, pieces, outputs } = this.#shape;
    const { arena } = scratch;
    const kernels = kernelsOf(arena);
    const most = Math.min(BATCH_ROWS, upTo(4, inputs.rows));
    const widest = Math.max(this.#layout.inputWidth, ...this.#layers.map(({ width }) => width));
    const given = scratch.allocate(Math.max(1, numbers) * most * 4);
    const places = pieces > 0 ? scratch.allocate(Math.max(1, numbers) * most * 4) : 0;
    const knots = scratch.allocate((pieces + 1) * PERIODIC_WIDTH * 4);
    const buffers = [0, 1].map(() => scratch.allocate(widest * most * 4));
    const all = new Float64Array(inputs.rows * outputs);
    for (let first = 0; first < inputs.rows; first += BATCH_ROWS) {
      const own = Math.min(BATCH_ROWS, inputs.rows - first);
      const count = upTo(4, own);
      let [from, to] = buffers;
      this.#embed(scratch, kernels, inputs, { first, own, count, given, places, knots, out: from });
      for (const { kind, weights, biases, alpha, from: depth, width, factor } of this.#layers) {
        kernels.forwardLayer(kind, from, count, depth, weights, width, factor, biases, alpha, to);
        [from, to] = [to, from];
      }
      const { width } = this.#layers[this.#layers.length - 1];
      const sums = arena.f32(from, count * width);
      for (let i = 0; i < own; i++) {
        const at = quadPlace(i, width);
        for (let k = 0; k < outputs; k++) all[(first + i) * outputs + k] = sums[at + 4 * k];
      }
    }
    return all;
  }

  #embed(
    { arena }: Scratch,
    kernels: Kernels,
    inputs: NetworkInputs,
    batch: {
      readonly first: number;
      readonly own: number;
      readonly count: number;
      readonly given: Pointer;
      readonly places: Pointer;
      readonly knots: Pointer;
      readonly out: Pointer;
    },
  ): void {
    const { numbers, frequencies, pieces, oneHot, embedded, statistics } = this.#shape;
    const { inputWidth } = this.#layout;
    const { first, own, count, given, places, knots, out: to } = batch;
    const columns = arena.f32(given, numbers * count);
    for (let f = 0; f < numbers; f++) {
      const from = f * inputs.rows + first;
      columns.set(inputs.numbers.subarray(from, from + own), f * count);
      columns.fill(0, f * count + own, (f + 1) * count);
    }
    const out = arena.f32(to, count * inputWidth).fill(0);
    if (frequencies > 0) {
      const weights = this.#embedding;
      kernels.embedPeriodic(given, numbers, count, frequencies, weights, to, inputWidth, 1);
    } else if (pieces > 0) {
      const among = arena.f32(places, numbers * count).fill(0);
      for (let f = 0; f < numbers; f++) {
        const from = f * inputs.rows + first;
        among.set(inputs.places.subarray(from, from + own), f * count);
      }
      const weights = this.#embedding;
      kernels.embedPieces(given, places, numbers, count, pieces, weights, to, inputWidth, 1, knots);
    } else {
      for (let f = 0; f < numbers; f++) {
        for (let i = 0; i < own; i++) {
          out[quadPlace(i, inputWidth) + 4 * f] = columns[f * count + i];
        }
      }
    }
    let column = numbers * numberWidth(this.#shape);
    for (const [t, categories] of oneHot.entries()) {
      const from = t * inputs.rows + first;
      for (let i = 0; i < own; i++) {
        const code = inputs.oneHot[from + i];
        if (code >= 0) out[quadPlace(i, inputWidth) + 4 * (column + code)] = 1;
      }
      column += categories;
    }
    for (const t of embedded.keys()) {
      const from = t * inputs.rows + first;
      const table = this.#tables[t];
      for (let i = 0; i < own; i++) {
        const at = quadPlace(i, inputWidth) + 4 * column;
        const vector = inputs.embedded[from + i] * EMBEDDED_WIDTH;
        for (let c = 0; c < EMBEDDED_WIDTH; c++) out[at + 4 * c] = table[vector + c];
      }
      column += EMBEDDED_WIDTH;
    }
    for (let c = 0; c < statistics; c++) {
      const from = c * inputs.rows + first;
      for (let i = 0; i < own; i++) {
        out[quadPlace(i, inputWidth) + 4 * (column + c)] = inputs.statistics[from + i];
      }
    }
    kernels.scaleQuads(to, count, inputWidth, this.#scale);
  }
}

/** Of a row's first column where rows lie in groups of four, column by column. */
const quadPlace = (row: number, width: number): number => (row >> 2) * 4 * width + (row & 3);
