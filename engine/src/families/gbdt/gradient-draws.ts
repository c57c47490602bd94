/**
 * Gradients that one tree's structure is chosen by: those of rows that were drawn, with the rows' weights
 * in the place of curvatures, and with noise on the scores (Prokhorenkova et al., "CatBoost", NeurIPS'18,
 * and the reference implementation's defaults). Leaves' values come from the gradients of all rows.
 */

import type { Pointer } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import type { RandomKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import { type Scales, scalesOf } from "./quantisation.ts";
import type { DrawnSums, RowList, RowWork } from "./row-work.ts";

export interface DrawSettings {
  /** Chance of a row to be looked at. */
  readonly fraction: number;
  /** Of the noise, beside the deviation of the gradients. */
  readonly strength: number;
  readonly learningRate: number;
}

/** What a tree's structure is chosen by. */
export interface Structure {
  readonly scales: Scales;
  /** Deviation of what is added to scores, in units of the gradient. */
  readonly noise: number;
}

export class GradientDraws {
  /** f32 pairs (gradient, weight), one a row of the data: of the rows that were drawn for last. */
  readonly drawn: Pointer;
  /** Of 2¹⁶. */
  readonly threshold: number;
  readonly #settings: DrawSettings;
  readonly #work: RowWork;
  readonly #scratch: Scratch;

  constructor(scratch: Scratch, settings: DrawSettings, work: RowWork) {
    this.#settings = settings;
    this.#work = work;
    this.#scratch = scratch;
    this.threshold = Math.round(settings.fraction * 2 ** 16);
    this.drawn = scratch.allocate(work.state.rows * 8);
  }

  draw(rows: RowList, key: RandomKey): DrawnSums {
    return this.#work.drawGradients(rows, this.threshold, key, this.drawn);
  }

  /**
   * @param rows how many the sums are over
   * @param round from 0; the noise fades as rounds go by
   */
  structure(sums: DrawnSums, rows: number, round: number): Structure {
    const { strength, learningRate } = this.#settings;
    const { gradient, weight, squares, whole } = sums;
    const left = whole * kernelsOf(this.#scratch.arena).exp(-round * learningRate);
    return {
      scales: scalesOf(gradient, weight, rows),
      noise: whole > 0 ? strength * Math.sqrt(squares / whole) * (left / (1 + left)) : 0,
    };
  }
}
