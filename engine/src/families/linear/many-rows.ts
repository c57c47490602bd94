/**
 * The margins of many rows of a linear model, its dense terms by a kernel (`kernels/assembly/linear/linear.ts`).
 * Bits are those of the rows one by one: each contribution begins at 0, takes the feature's terms in
 * order, and is added to the margin as a whole.
 */

import { Arena, type Pointer } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { EncodedData } from "../../data/encoded.ts";
import { GIVEN, heldIn, kernelTransform } from "./numeric-transform.ts";
import {
  type CodedTerm,
  codeOf,
  type DenseTerm,
  isDense,
  type LinearState,
  termColumns,
  writeNumber,
} from "./terms.ts";

/** Rows whose columns lie in the processor's cache together. */
const CHUNK = 512;

interface DensePart {
  readonly term: DenseTerm;
  readonly kind: number;
  readonly columns: number;
  readonly knotCount: number;
  /** Its place among all blocks' numbers. */
  readonly block: number;
}

interface CodedPart {
  readonly term: CodedTerm;
  /** Output-major, outputs × columns. */
  readonly coefficients: Float64Array;
  readonly columns: number;
  /** One an output: what is taken off every row. */
  readonly means: Float64Array;
}

type Part = DensePart | CodedPart;

/** A model's terms, feature by feature, in the kernel's form. */
export class LinearRows {
  readonly #outputs: number;
  readonly #baseValues: Float64Array;
  readonly #parts: readonly (readonly Part[])[];
  readonly #blocks: Float64Array;
  readonly #mostColumns: number;

  /** @param starts the first column of each term, of `columns` */
  constructor(
    { terms, coefficients, columnMeans, baseValues }: LinearState,
    starts: readonly number[],
    columns: number,
    termsOf: readonly (readonly number[])[],
  ) {
    const outputs = baseValues.length;
    const blocks: number[] = [];
    let mostColumns = 1;
    const partOf = (t: number): Part => {
      const term = terms[t];
      const start = starts[t];
      const width = termColumns(term);
      const ofOutput = (k: number) => coefficients.subarray(k * columns + start).subarray(0, width);
      const means = columnMeans.subarray(start, start + width);
      if (!isDense(term)) {
        const own = new Float64Array(outputs * width);
        const sums = new Float64Array(outputs);
        for (let k = 0; k < outputs; k++) {
          own.set(ofOutput(k), k * width);
          for (let c = 0; c < width; c++) sums[k] += own[k * width + c] * means[c];
        }
        return { term, coefficients: own, columns: width, means: sums };
      }
      const block = blocks.length;
      blocks.push(...term.means, ...term.deviations, ...means);
      for (let c = 0; c < width; c++) {
        for (let k = 0; k < outputs; k++) blocks.push(ofOutput(k)[c]);
      }
      mostColumns = Math.max(mostColumns, width);
      const { kind, knots, scores } =
        term.kind === "numeric" ? kernelTransform(term.transform) : GIVEN;
      blocks.push(...knots, ...scores);
      return { term, columns: width, block, kind, knotCount: knots.length };
    };
    this.#outputs = outputs;
    this.#baseValues = baseValues;
    this.#parts = termsOf.map((of) => of.map(partOf));
    this.#blocks = Float64Array.from(blocks);
    this.#mostColumns = mostColumns;
  }

  /** Row-major, rows × outputs. @param rows of `data`; null = all */
  margins(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const { values } = data;
    if (values === null) throw new Error("The linear family reads values, and none were encoded.");
    const arena = Arena.attach(data.arena);
    const outputs = this.#outputs;
    const total = rows?.length ?? data.rows;
    const all = new Float64Array(total * outputs);
    const stride = CHUNK * 8;
    withScratch(arena, (scratch) => {
      const blocks = scratch.f64(this.#blocks);
      const gathered = scratch.allocate(stride);
      const held = scratch.allocate(stride);
      const design = scratch.allocate(this.#mostColumns * stride);
      const sums = scratch.allocate(outputs * stride);
      const margins = scratch.allocate(outputs * stride);
      const kernels = kernelsOf(arena);
      const sumsView = arena.f64(sums, outputs * CHUNK);
      const marginsView = arena.f64(margins, outputs * CHUNK);
      for (let first = 0; first < total; first += CHUNK) {
        const count = Math.min(CHUNK, total - first);
        for (let k = 0; k < outputs; k++) {
          marginsView.fill(this.#baseValues[k], k * CHUNK, (k + 1) * CHUNK);
        }
        for (const [feature, parts] of this.#parts.entries()) {
          if (parts.length === 0) continue;
          const column = values + feature * data.rows * 8;
          const cells = rows ? gathered : column + first * 8;
          if (rows) {
            gather(arena.f64(column, data.rows), rows, first, arena.f64(gathered, count));
          }
          const view = arena.f64(cells, count);
          sumsView.fill(0);
          for (const part of parts) {
            if ("kind" in part) {
              this.#addDense(arena, part, { cells, view, held, blocks, design, sums, stride });
            } else addCoded(part, view, sumsView, outputs);
          }
          kernels.addColumns(sums, margins, outputs * stride);
        }
        for (let k = 0; k < outputs; k++) {
          for (let i = 0; i < count; i++) {
            all[(first + i) * outputs + k] = marginsView[k * CHUNK + i];
          }
        }
      }
    });
    return all;
  }

  #addDense(arena: Arena, part: DensePart, at: Places): void {
    const { term, kind, columns, knotCount, block } = part;
    const { cells, view, held, blocks, design, sums, stride } = at;
    if (kind === GIVEN.kind) writeGiven(term, view, arena.f64(design, columns * CHUNK));
    const range =
      term.kind === "numeric" && term.transform.kind === "spline" ? term.transform.range : null;
    if (range) writeHeld(range, view, arena.f64(held, view.length));
    kernelsOf(arena).addLinearTerm(
      kind,
      range ? held : cells,
      term.kind === "numeric" ? 1 : 0,
      view.length,
      blocks + block * 8,
      columns,
      knotCount,
      this.#outputs,
      design,
      sums,
      stride,
    );
  }
}

interface Places {
  readonly cells: Pointer;
  /** Of the same. */
  readonly view: Float64Array;
  /** Room for as many. */
  readonly held: Pointer;
  readonly blocks: Pointer;
  readonly design: Pointer;
  readonly sums: Pointer;
  readonly stride: number;
}

function gather(column: Float64Array, rows: Uint32Array, first: number, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = column[rows[first + i]];
}

/** Cells that are not finite stay so. */
function writeHeld(range: [number, number], cells: Float64Array, out: Float64Array): void {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    out[i] = Number.isFinite(cell) ? heldIn(range, cell) : cell;
  }
}

/** Columns of the design before they are centred and scaled. */
function writeGiven(term: DenseTerm, cells: Float64Array, out: Float64Array): void {
  if (term.kind === "numeric") {
    for (let i = 0; i < cells.length; i++) {
      if (Number.isFinite(cells[i])) writeNumber(term, cells[i], out, i, CHUNK);
      // Its columns are taken for 0 where the cell is.
      else out[i] = cells[i];
    }
    return;
  }
  const { categories, encodings } = term;
  const columns = term.means.length;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    const row = cell >= 0 && cell < categories ? cell : categories;
    for (let c = 0; c < columns; c++) out[c * CHUNK + i] = encodings[row * columns + c];
  }
}

function addCoded(
  { term, coefficients, columns, means }: CodedPart,
  cells: Float64Array,
  sums: Float64Array,
  outputs: number,
): void {
  for (let i = 0; i < cells.length; i++) {
    const code = codeOf(term, cells[i]);
    for (let k = 0; k < outputs; k++) {
      sums[k * CHUNK + i] += (code < 0 ? 0 : coefficients[k * columns + code]) - means[k];
    }
  }
}
