/**
 * Which term takes the next step: in most rounds the one that a step would bring most, as far as is known, and every so
 * many rounds each in its turn. Of many features that say little, turns alone would follow the noise of all (`greedy_ratio`
 * of InterpretML's explainable boosting machine).
 */

import type { GamParameters } from "./parameters.ts";

export class TermOrder {
  readonly #period: number;
  /** What is left of each term's step after the one that was taken. */
  readonly #left: number;
  /** Of each term when it last took a step. */
  readonly #gains: Float64Array;

  constructor(terms: number, { greedy_ratio, learning_rate }: GamParameters) {
    this.#period = 1 + greedy_ratio;
    this.#left = (1 - learning_rate) ** 2;
    this.#gains = new Float64Array(terms);
  }

  /**
   * @param round from 0 on
   * @param turn within it, as many as there are terms
   * @returns the term's place
   */
  next(round: number, turn: number): number {
    if (round % this.#period === 0) return turn;
    let best = 0;
    for (const [place, gain] of this.#gains.entries()) {
      if (gain > this.#gains[best]) best = place;
    }
    return best;
  }

  /** @param gain of a whole step, before a part of it was taken */
  observe(place: number, gain: number): void {
    this.#gains[place] = this.#left * gain;
  }
}
