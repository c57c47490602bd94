/** The one interface of every search strategy. */

import type { RandomKey } from "../compute/random.ts";
import type { Parameters, SearchSpace } from "./space.ts";

export interface Observation {
  readonly parameters: Parameters;
  /** What is minimised, one a metric that is optimised; null when the trial failed. */
  readonly losses: readonly number[] | null;
}

export interface SearchState {
  readonly space: SearchSpace;
  /** Finished trials, oldest first. */
  readonly history: readonly Observation[];
  /** Trials of this step already suggested and not yet run. */
  readonly pending: readonly Parameters[];
}

/** A pure function: equal states and keys give equal suggestions. */
export interface Sampler {
  readonly kind: string;
  /** Finished trials before its suggestions are better than any well spread points. */
  readonly startupTrials: number;
  suggest(state: SearchState, key: RandomKey): Parameters;
}
