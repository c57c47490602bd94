/** Inputs as columns of numbers: numbers, embedded or as they are, marks of categories, learned vectors, statistics. */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { NetworkInputs } from "./inputs.ts";
import {
  EMBEDDED_WIDTH,
  layoutOf,
  type NetworkLayout,
  type NetworkShape,
  numberWidth,
  PERIODIC_COMBINATIONS,
  PERIODIC_WIDTH,
  upTo,
} from "./layout.ts";

/** What embeds the rows of a batch, within a network. */
export class InputEmbedding {
  readonly #shape: NetworkShape;
  readonly #layout: NetworkLayout;
  readonly #scratch: Scratch;
  readonly #kernels: Kernels;
  readonly #batchRows: number;
  readonly #parameters: Pointer;
  readonly #embedded: Pointer;
  readonly #numbers: Pointer;
  readonly #places: Pointer;
  readonly #codes: Int32Array;
  readonly #working: Pointer;

  /**
   * @param rows at most, a multiple of 4
   * @param at f32: the network's parameters; rows × its embedded inputs
   */
  constructor(
    scratch: Scratch,
    shape: NetworkShape,
    rows: number,
    at: { readonly parameters: Pointer; readonly embedded: Pointer },
  ) {
    const place = (numbers: number): Pointer => scratch.allocate(Math.max(4, numbers) * 4);
    this.#shape = shape;
    this.#layout = layoutOf(shape);
    this.#scratch = scratch;
    this.#kernels = kernelsOf(scratch.arena);
    this.#batchRows = rows;
    this.#parameters = at.parameters;
    this.#embedded = at.embedded;
    this.#numbers = place(shape.numbers * rows);
    this.#places = place(shape.pieces > 0 ? shape.numbers * rows : 0);
    this.#codes = new Int32Array(shape.embedded.length * rows);
    this.#working = place(
      Math.max(PERIODIC_COMBINATIONS * rows, (shape.pieces + 1) * PERIODIC_WIDTH),
    );
  }

  /**
   * Reads a batch into the embedded inputs; rows that fill a vector of four are zeros.
   *
   * @param rows of `inputs`
   * @returns the rows of the batch with those
   */
  read(inputs: NetworkInputs, rows: Uint32Array): number {
    const { numbers, frequencies, pieces, oneHot, embedded, statistics } = this.#shape;
    const { inputWidth, tensors } = this.#layout;
    const { arena } = this.#scratch;
    const count = upTo(4, rows.length);
    const given = this.#gather(inputs.numbers, inputs.rows, rows, this.#numbers);
    const out = arena.f32(this.#embedded, count * inputWidth).fill(0);
    let column = 0;
    if (frequencies > 0) {
      const weights = this.#parameters + tensors[0].start * 4;
      this.#kernels.embedPeriodic(
        this.#numbers,
        numbers,
        count,
        frequencies,
        weights,
        this.#embedded,
        inputWidth,
        0,
      );
      column = numbers * PERIODIC_WIDTH;
    } else if (pieces > 0) {
      this.#gather(inputs.places, inputs.rows, rows, this.#places);
      this.#kernels.embedPieces(
        this.#numbers,
        this.#places,
        numbers,
        count,
        pieces,
        this.#parameters + tensors[0].start * 4,
        this.#embedded,
        inputWidth,
        0,
        this.#working,
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
      const table = arena.f32(this.#parameters + tables[t].start * 4, tables[t].length);
      for (let i = 0; i < rows.length; i++) {
        const code = codes[rows[i]];
        this.#codes[t * this.#batchRows + i] = code;
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

  /** Rows of columns, with zeros where they fill a vector of four. */
  #gather(columns: Float32Array, step: number, rows: Uint32Array, to: Pointer): Float32Array {
    const count = upTo(4, rows.length);
    const { numbers } = this.#shape;
    const out = this.#scratch.arena.f32(to, numbers * count).fill(0);
    for (let f = 0; f < numbers; f++) {
      for (let i = 0; i < rows.length; i++) out[f * count + i] = columns[f * step + rows[i]];
    }
    return out;
  }

  /** To the gradients of what inputs are embedded by, after `read` of the same batch. @param g f32, rows × columns */
  back(rows: number, g: Pointer, gradients: Pointer): void {
    const { numbers, frequencies, pieces, oneHot, embedded } = this.#shape;
    const { inputWidth, tensors } = this.#layout;
    if (frequencies > 0) {
      const { start } = tensors[0];
      this.#kernels.embedPeriodicBack(
        this.#numbers,
        numbers,
        rows,
        frequencies,
        this.#parameters + start * 4,
        g,
        inputWidth,
        gradients + start * 4,
        this.#working,
      );
    }
    if (pieces > 0) {
      const to = gradients + tensors[0].start * 4;
      this.#kernels.embedPiecesBack(
        this.#places,
        numbers,
        rows,
        pieces,
        g,
        inputWidth,
        to,
        this.#working,
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
        const to = this.#codes[t * this.#batchRows + i] * EMBEDDED_WIDTH;
        const from = i * inputWidth + column;
        for (let c = 0; c < EMBEDDED_WIDTH; c++) table[to + c] += all[from + c];
      }
      column += EMBEDDED_WIDTH;
    });
  }
}
