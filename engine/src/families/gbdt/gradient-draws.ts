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
import type { BoostingState, RowList } from "./row-work.ts";

export interface DrawSettings {
  /** Chance of a row to be looked at. */
  readonly fraction: number;
  /** Of the noise, beside the deviation of the gradients. */
  readonly strength: number;
  readonly learningRate: number;
}

export interface StructureGradients {
  /** f32 pairs (gradient, weight), one a row of the data. */
  readonly gradients: Pointer;
  readonly scales: Scales;
  /** Deviation of what is added to scores, in units of the gradient. */
  readonly noise: number;
}

export class GradientDraws {
  readonly #settings: DrawSettings;
  readonly #state: BoostingState;
  readonly #drawn: Pointer;
  readonly #sums: Pointer;
  readonly #scratch: Scratch;

  constructor(scratch: Scratch, settings: DrawSettings, state: BoostingState) {
    this.#settings = settings;
    this.#state = state;
    this.#scratch = scratch;
    this.#drawn = scratch.allocate(state.rows * 8);
    this.#sums = scratch.allocate(32);
  }

  /** @param round from 0; the noise fades as rounds go by */
  draw(rows: RowList, round: number, key: RandomKey): StructureGradients {
    const { fraction, strength, learningRate } = this.#settings;
    const { gradients, weights } = this.#state;
    const kernels = kernelsOf(this.#scratch.arena);
    kernels.drawGradients(
      rows.pointer,
      rows.count,
      gradients,
      weights,
      Math.round(fraction * 2 ** 16),
      key.low,
      key.high,
      this.#drawn,
      this.#sums,
    );
    const [gradientSum, weightSum, squares, weight] = this.#scratch.arena.f64(this.#sums, 4);
    const left = weight * kernels.exp(-round * learningRate);
    return {
      gradients: this.#drawn,
      scales: scalesOf(gradientSum, weightSum, rows.count),
      noise: weight > 0 ? strength * Math.sqrt(squares / weight) * (left / (1 + left)) : 0,
    };
  }
}
