/**
 * The scales of a covariance, and its smoothness. Of each smoothness the evidence is maximised by Rprop (Blum & Riedmiller,
 * "Optimization of Gaussian process hyperparameters using Rprop", ESANN 2013), from one start.
 */

import type { FitLimits } from "../fit-limits.ts";
import type { Smoothness } from "./covariance.ts";
import {
  evidenceOf,
  type LabelledPoints,
  type Learning,
  type LogParameters,
  sharedDistances,
  startOf,
} from "./evidence.ts";

/** Deviations of a normal prior around the start: weak, but dimensions that say nothing stay somewhere. */
const PRIOR_DEVIATIONS = { relevance: 3, amplitude: 2, noise: 3 };
const MOST_STEPS = 60;
/** For another smoothness, whose scales are about those that are known. */
const STEPS_ON = 20;
/** After which scales are known well enough to look whether a smoother covariance is better with the same ones. */
const STEPS_TO_LOOK = 15;
/**
 * Of the left-out error, by which a smoother covariance is to be better: than the roughest by much, since errors of rows
 * that the scales were learned from flatter the smooth ones where there are many scales.
 */
const LEAST_GAIN = { first: 0.25, further: 0.02 };
const FIRST_STEP = 0.3;
const STEP_BOUNDS = { least: 0.01, most: 1.5 };
/** Of the time that what comes after the ascent is expected to take, by the steps so far. */
const CAUTION = 2;
/** Ends after so many steps that together brought less than this. */
const PATIENCE = { steps: 10, gain: 0.1 };

export interface Learned {
  readonly parameters: LogParameters;
  /** See `Evidence`; infinite where no step had time. */
  readonly leftOutError: number;
  readonly steps: number;
}

/**
 * A smoothness as well, of some in the order of `SMOOTHNESS`: by a walk from the roughest to smoother ones, each from the scales that the one before
 * had, up to the first by which left-out labels are met no better. The likelihood says less of how well they are met where
 * neither covariance is the right one. The walk begins amid the first ascent where the second one is by then better by as
 * much as it is to be: the rest of that ascent brings the less, and may take all the time that there is.
 */
export function learnSmoothness(
  labelled: LabelledPoints,
  dimensions: number,
  [roughest, ...smoother]: readonly Smoothness[],
  learning: Omit<Learning, "smoothness">,
  limits: FitLimits,
  stepsAfter: number,
): Learned & { readonly smoothness: Smoothness } {
  let steps = 0;
  const apart = learning.shared ? sharedDistances(labelled.points) : null;
  const ascentOf = (smoothness: Smoothness, from?: LogParameters) => {
    const of = { ...learning, smoothness };
    const ascent = new Ascent({ labelled, apart }, dimensions, of, limits, stepsAfter, from);
    return (most: number) => {
      steps += ascent.climb(most);
      return { smoothness, ...ascent.best };
    };
  };
  const first = ascentOf(roughest);
  let best = first(smoother.length > 0 ? STEPS_TO_LOOK : MOST_STEPS);
  for (const [at, smoothness] of smoother.entries()) {
    const gain = at === 0 ? LEAST_GAIN.first : LEAST_GAIN.further;
    const isBetter = ({ leftOutError }: typeof best): boolean =>
      leftOutError < (1 - gain) * best.leftOutError;
    let climb = ascentOf(smoothness, best.parameters);
    if (at === 0 && !isBetter(climb(1))) {
      best = first(MOST_STEPS);
      climb = ascentOf(smoothness, best.parameters);
    }
    const next = climb(STEPS_ON);
    if (!isBetter(next)) break;
    best = next;
  }
  return { ...best, steps };
}

/** Of the evidence and the prior together; each step counts as an iteration of the fit. */
class Ascent {
  #best: Omit<Learned, "steps">;
  readonly #labelled: LabelledPoints;
  readonly #apart: Float64Array | null;
  readonly #learning: Learning;
  readonly #limits: FitLimits;
  readonly #stepsAfter: number;
  readonly #start: LogParameters;
  readonly #parameters: LogParameters;
  readonly #before: Float64Array;
  readonly #steps: Float64Array;
  #height = Number.NEGATIVE_INFINITY;
  #reference = { step: 0, height: Number.NEGATIVE_INFINITY };
  #taken = 0;
  #isAtEnd = false;
  #milliseconds = 0;

  /**
   * @param stepsAfter what is to come after the ascent takes as long as so many of its steps, which leave time for it
   * @param from absent: from the middle of the prior
   */
  constructor(
    { labelled, apart }: { readonly labelled: LabelledPoints; readonly apart: Float64Array | null },
    dimensions: number,
    learning: Learning,
    limits: FitLimits,
    stepsAfter: number,
    from?: LogParameters,
  ) {
    this.#labelled = labelled;
    this.#apart = apart;
    this.#learning = learning;
    this.#limits = limits;
    this.#stepsAfter = stepsAfter;
    this.#start = startOf(dimensions, learning.shared);
    this.#best = { parameters: from ?? this.#start, leftOutError: Number.POSITIVE_INFINITY };
    this.#parameters = this.#best.parameters.slice();
    this.#before = new Float64Array(this.#start.length);
    this.#steps = new Float64Array(this.#start.length).fill(FIRST_STEP);
  }

  /**
   * Goes on until so many steps have been taken in all, or it has come to its end.
   *
   * @returns steps that this took
   */
  climb(most: number): number {
    const before = this.#taken;
    while (this.#taken < most && !this.#isAtEnd && this.#limits.begin()) this.#step();
    return this.#taken - before;
  }

  /** The best parameters met, and their left-out error. */
  get best(): Omit<Learned, "steps"> {
    return this.#best;
  }

  #step(): void {
    const began = performance.now();
    this.#taken++;
    const [parameters, start, before, steps] = [
      this.#parameters,
      this.#start,
      this.#before,
      this.#steps,
    ];
    const size = start.length;
    const gradient = new Float64Array(size);
    const evidence = evidenceOf(this.#labelled, parameters, this.#learning, gradient, this.#apart);
    this.#milliseconds += performance.now() - began;
    const each = this.#milliseconds / 1000 / this.#taken;
    this.#limits.keep(CAUTION * this.#stepsAfter * each);
    if (evidence === null) {
      // Too smooth for double precision: half the way back to where it was not.
      for (let p = 0; p < size; p++) parameters[p] = (parameters[p] + this.#best.parameters[p]) / 2;
      steps.fill(STEP_BOUNDS.least * 4);
      before.fill(0);
      return;
    }
    let height = evidence.logLikelihood;
    for (let p = 0; p < size; p++) {
      const deviation = deviationOf(p, size);
      const away = (parameters[p] - start[p]) / deviation;
      height -= 0.5 * away * away;
      gradient[p] -= away / deviation;
    }
    if (height > this.#height) {
      this.#height = height;
      this.#best = { parameters: parameters.slice(), leftOutError: evidence.leftOutError };
    }
    if (this.#height > this.#reference.height + PATIENCE.gain) {
      this.#reference = { step: this.#taken, height: this.#height };
    } else if (this.#taken - this.#reference.step >= PATIENCE.steps) {
      this.#isAtEnd = true;
      return;
    }
    for (let p = 0; p < size; p++) {
      const turn = gradient[p] * before[p];
      if (turn > 0) steps[p] = Math.min(STEP_BOUNDS.most, steps[p] * 1.2);
      else if (turn < 0) {
        steps[p] = Math.max(STEP_BOUNDS.least, steps[p] * 0.5);
        gradient[p] = 0;
      }
      parameters[p] += Math.sign(gradient[p]) * steps[p];
      before[p] = gradient[p];
    }
  }
}

function deviationOf(place: number, size: number): number {
  if (place === size - 1) return PRIOR_DEVIATIONS.noise;
  return place === size - 2 ? PRIOR_DEVIATIONS.amplitude : PRIOR_DEVIATIONS.relevance;
}
