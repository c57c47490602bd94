/**
 * What each step of a network's training goes by: learning rates that fall four times, dropout and decay that fade,
 * and Adam's corrections (Holzmüller, Grinsztajn & Steinwart, "Better by default", NeurIPS 2024, §3 and appendix A).
 */

import type { TensorRole } from "./layout.ts";
import type { MlpParameters } from "./parameters.ts";

export const BETA_1 = 0.9;
export const BETA_2 = 0.95;

/** Learning rates beside that of the weights. */
export const RATES: Readonly<Record<TensorRole, number>> = {
  frequencies: 0.1,
  pieces: 1,
  embedding: 1,
  scale: 6,
  weights: 1,
  biases: 0.1,
  activation: 0.1,
  output_weights: 1,
  output_biases: 0.1,
};

/** Four falls of the learning rate, each twice as long as the one before. */
export const learningRateAt = (progress: number): number =>
  0.5 - 0.5 * Math.cos(2 * Math.PI * Math.log2(1 + 15 * progress));

/** Where the third fall ends: the fourth takes more than half of the time. */
const THIRD_END = 7 / 15;
/** In the third fall, where the rate is near its highest: networks that still learn get better from there on. */
const THIRD_TOP = 5 / 15;
/** Of the least loss: beyond so many times as much a network has learned its rows by heart. */
const WORSE = 1.1;

/** What the validation rows have said so far. */
interface Watched {
  /** The epoch of the least loss, counted from 1. */
  readonly best: number;
  readonly leastLoss: number;
  readonly lastLoss: number;
}

/**
 * Whether the fourth fall is not worth its time: in the third the loss only rose, though the rate fell, as it does
 * where rows are learned by heart, and then ever more so.
 *
 * @param epoch that has just ended, counted from 1
 * @param epochs of the whole schedule
 */
export function isLearned(epoch: number, epochs: number, watched: Watched): boolean {
  const { best, leastLoss, lastLoss } = watched;
  return epoch >= THIRD_END * epochs && best <= THIRD_TOP * epochs && lastLoss > WORSE * leastLoss;
}

/** 1 for the first half, then down to 0. */
const fadingAt = (progress: number): number =>
  progress < 0.5 ? 1 : 0.5 * (1 + Math.cos(Math.PI * (2 * progress - 1)));

/** Whether a tensor is made smaller by decay. */
export const decays = (role: TensorRole): boolean =>
  role === "weights" || role === "output_weights" || role === "embedding";

/** One step. */
export interface ScheduledStep {
  /** Of the weights. */
  readonly rate: number;
  /** 1 / (1 - β₁ᵗ), and β₂'s. */
  readonly corrections: readonly [number, number];
  /** Of decay and dropout: 1 at first, 0 at last. */
  readonly fading: number;
  /** Share of hidden units that are kept. */
  readonly kept: number;
}

/** The steps of one fit, in their order. */
export class Schedule {
  readonly #parameters: MlpParameters;
  /** β₁ᵗ and β₂ᵗ. */
  #powers: readonly [number, number] = [1, 1];

  constructor(parameters: MlpParameters) {
    this.#parameters = parameters;
  }

  /** @param progress in [0, 1), of all epochs */
  next(progress: number): ScheduledStep {
    const { learningRate, dropout } = this.#parameters;
    const fading = fadingAt(progress);
    const [first, second] = [this.#powers[0] * BETA_1, this.#powers[1] * BETA_2];
    this.#powers = [first, second];
    return {
      rate: learningRate * learningRateAt(progress),
      corrections: [1 / (1 - first), 1 / (1 - second)],
      fading,
      kept: 1 - dropout * fading,
    };
  }
}
