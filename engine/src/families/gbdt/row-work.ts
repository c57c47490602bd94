/**
 * The work of boosting on rows: gradients, their quantisation, losses. By blocks of rows, which whoever
 * helps the fit shares in; what is summed is summed block by block, in their order.
 */

import type { Pointer } from "../../compute/arena.ts";
import type { Crew } from "../../compute/crew.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import type { RandomKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import * as layout from "../../kernels/assembly/crew/crew-layout.ts";

export interface RowList {
  readonly pointer: Pointer;
  readonly count: number;
}

/** Where the rows' numbers lie. Scores of output k start at `scores` + 8 k × `rows`. */
export interface BoostingState {
  /** Rows of the data, learned from or not. */
  readonly rows: number;
  readonly outputs: number;
  readonly scores: Pointer;
  /** Of a soft objective: row-major, rows × outputs. */
  readonly targets: Pointer;
  /** 0 = all 1. */
  readonly weights: Pointer;
  /** f32 pairs. */
  readonly gradients: Pointer;
  /** i64 a row: quantised gradient (high 32 bits), hessian (low). */
  readonly packed: Pointer;
  /** f64 a row; of several classes alone, else 0. */
  readonly logSums: Pointer;
}

/** Σ|g| and Σh. */
export interface GradientSums {
  readonly gradient: number;
  readonly hessian: number;
}

/** @param sums Σ|g| and Σh of one unit after another, added up in their order */
function gradientSums(sums: Float64Array): GradientSums {
  let [gradient, hessian] = [0, 0];
  for (let i = 0; i < sums.length; i += 2) {
    gradient += sums[i];
    hessian += sums[i + 1];
  }
  return { gradient, hessian };
}

/** Of gradients that were drawn, and of all rows. */
export interface DrawnSums {
  /** Σ|g| and Σw of those drawn. */
  readonly gradient: number;
  readonly weight: number;
  /** Σ g² / w and Σ w of all. */
  readonly squares: number;
  readonly whole: number;
}

/** In the order in which kernels and shaders have them. */
export function drawnSums([gradient, weight, squares, whole]: readonly [
  number,
  number,
  number,
  number,
]): DrawnSums {
  return { gradient, weight, squares, whole };
}

export class RowWork {
  readonly state: BoostingState;
  readonly #crew: Crew;
  readonly #sums: Pointer;

  /** @param most rows of one list */
  constructor(scratch: Scratch, crew: Crew, state: BoostingState, most: number) {
    this.state = state;
    this.#crew = crew;
    this.#sums = scratch.allocate(32 * Math.ceil(most / layout.BLOCK_ROWS));
  }

  /** @param level of a quantile */
  gradients(task: number, rows: RowList, output: number, level = 0): GradientSums {
    return gradientSums(this.#run(task, rows, output, [level]));
  }

  /** log Σ exp of each row's scores, for several classes. */
  logSums(rows: RowList): void {
    this.#run(layout.LOG_SUMS, rows, 0, []);
  }

  /** @param gradients f32 pairs; those of the state where it is left out */
  quantise(rows: RowList, scales: GradientSums, gradients = this.state.gradients): void {
    const numbers = [0, scales.gradient, scales.hessian];
    this.#run(layout.QUANTISE, rows, 0, numbers, gradients);
  }

  /** Σ g² / Σ h over the rows, a weight of k standing for k rows. */
  gradientVariance(rows: RowList): number {
    const { gradient: squares, hessian } = this.gradients(layout.GRADIENT_SPREAD, rows, 0);
    return hessian > 0 ? squares / hessian : 0;
  }

  /**
   * Draws each row with probability `threshold` / 2¹⁶; returns how many were drawn.
   *
   * @param bag room for as many as there are, as is `rest`; both in the order of the rows
   */
  drawBag(rows: RowList, threshold: number, key: RandomKey, bag: Pointer, rest: Pointer): number {
    this.#tellDraw(rows, key, bag, rest)[layout.A_THRESHOLD] = threshold;
    const { arena, block } = this.#crew;
    return kernelsOf(arena).drawRows(block, layout.DRAW_BAG);
  }

  /**
   * Draws rows by the level of their gradients, which are multiplied by what each row drawn stands for.
   *
   * @param curvature λ of √(g² + λ h²), whose levels they are; negative: they are those of |g h|
   * @param probabilities u32 / 2¹⁶, one a level
   * @returns how many were drawn, and their sums
   */
  drawByGradient(
    rows: RowList,
    curvature: number,
    probabilities: Pointer,
    key: RandomKey,
    drawn: Pointer,
    rest: Pointer,
  ): { readonly drawn: number; readonly sums: GradientSums } {
    const { arena, block } = this.#crew;
    const words = this.#tellDraw(rows, key, drawn, rest);
    words[layout.A_PAIRS] = this.state.gradients;
    words[layout.A_PROBABILITIES] = probabilities;
    words[layout.A_SUMS] = this.#sums;
    arena.f64(block + layout.NUMBERS, 1)[layout.N_CURVATURE] = curvature;
    const count = kernelsOf(arena).drawRows(block, layout.DRAW_BY_GRADIENT);
    const part = Math.max(layout.BLOCK_ROWS, Math.ceil(rows.count / layout.MOST_UNITS));
    return { drawn: count, sums: gradientSums(this.#sumsOf(Math.ceil(rows.count / part))) };
  }

  /** How many of every `step`th row are at each of so many levels. @param curvature as of `drawByGradient` */
  countLevels(
    rows: RowList,
    step: number,
    curvature: number,
    levels: Pointer,
    length: number,
  ): void {
    const { arena } = this.#crew;
    const { gradients } = this.state;
    arena.u32(levels, length).fill(0);
    kernelsOf(arena).countLevels(rows.pointer, rows.count, step, gradients, curvature, levels);
  }

  #tellDraw(rows: RowList, key: RandomKey, drawn: Pointer, rest: Pointer): Uint32Array {
    const { arena, block } = this.#crew;
    const words = arena.u32(block + layout.ARGUMENTS, layout.ARGUMENT_COUNT);
    words[layout.A_ROWS] = rows.pointer;
    words[layout.A_COUNT] = rows.count;
    words[layout.A_KEY_LOW] = key.low;
    words[layout.A_KEY_HIGH] = key.high;
    words[layout.A_DRAWN] = drawn;
    words[layout.A_REST] = rest;
    return words;
  }

  /**
   * Draws gradients of rows, each with probability `threshold` / 2¹⁶.
   *
   * @param drawn room for f32 pairs (gradient, weight), one a row of the data
   */
  drawGradients(rows: RowList, threshold: number, key: RandomKey, drawn: Pointer): DrawnSums {
    const words = this.#tell(rows, 0, this.state.gradients);
    words[layout.A_DRAW_THRESHOLD] = threshold;
    words[layout.A_DRAW_KEY_LOW] = key.low;
    words[layout.A_DRAW_KEY_HIGH] = key.high;
    words[layout.A_PACKED] = drawn;
    const { arena, block } = this.#crew;
    kernelsOf(arena).rowTask(block, layout.DRAW_GRADIENTS);
    const sums = arena.f64(this.#sums, 4 * Math.ceil(rows.count / layout.BLOCK_ROWS));
    const total: [number, number, number, number] = [0, 0, 0, 0];
    for (let i = 0; i < sums.length; i++) total[i % 4] += sums[i];
    return drawnSums(total);
  }

  /** Weighted sum over the rows. */
  loss(task: number, rows: RowList, output: number, level = 0): number {
    const sums = this.#run(task, rows, output, [level]);
    let sum = 0;
    for (let i = 0; i < sums.length; i += 2) sum += sums[i];
    return sum;
  }

  /** Two numbers a block, if the task sums anything. */
  #run(
    task: number,
    rows: RowList,
    output: number,
    numbers: readonly number[],
    gradients = this.state.gradients,
  ): Float64Array {
    const { arena, block } = this.#crew;
    this.#tell(rows, output, gradients);
    arena.f64(block + layout.NUMBERS, numbers.length).set(numbers);
    kernelsOf(arena).rowTask(block, task);
    return this.#sumsOf(Math.ceil(rows.count / layout.BLOCK_ROWS));
  }

  /** Two numbers of each of so many units. */
  #sumsOf(units: number): Float64Array {
    return this.#crew.arena.f64(this.#sums, 2 * units);
  }

  #tell(rows: RowList, output: number, gradients: Pointer): Uint32Array {
    const { arena, block } = this.#crew;
    const { state } = this;
    const words = arena.u32(block + layout.ARGUMENTS, layout.ARGUMENT_COUNT);
    words[layout.A_ROWS] = rows.pointer;
    words[layout.A_COUNT] = rows.count;
    words[layout.A_SCORES] = state.scores + output * state.rows * 8;
    words[layout.A_TARGETS] = state.targets;
    words[layout.A_WEIGHTS] = state.weights;
    words[layout.A_GRADIENTS] = gradients;
    words[layout.A_LOG_SUMS] = state.logSums;
    words[layout.A_CLASSES] = state.outputs;
    words[layout.A_CHOSEN] = output;
    words[layout.A_CLASS_STEP] = state.rows;
    words[layout.A_PACKED] = state.packed;
    words[layout.A_SUMS] = this.#sums;
    return words;
  }
}
