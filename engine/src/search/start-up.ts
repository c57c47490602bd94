/**
 * How a search begins: points that were given come first, then, until the strategy has seen enough
 * to learn from, scrambled Sobol points or its own random ones.
 */

import type { RandomKey } from "../compute/random.ts";
import type { Sampler, SearchState } from "./sampler.ts";
import { sobolPoint } from "./sobol/sobol-point.ts";
import type { Parameters } from "./space.ts";
import { isTried } from "./tried-points.ts";

export const START_UPS = ["portfolio", "sobol", "random"] as const;

/**
 * - portfolio: a family's list of strong configurations, then as `sobol`;
 * - sobol: the family's defaults, then points of a scrambled Sobol sequence;
 * - random: the defaults, then random points.
 */
export type StartUpKind = (typeof START_UPS)[number];

export interface StartUp {
  readonly kind: StartUpKind;
  /** Points of the space to try first, in this order. */
  readonly first: readonly Parameters[];
  /** Of the Sobol sequence: one for all trials of a search. */
  readonly key: RandomKey;
}

/**
 * What trial `index` of a search tries.
 *
 * @param index of the trial among all that the search has asked for
 * @param key of this suggestion
 */
export function suggestNext(
  { kind, first, key: sequence }: StartUp,
  sampler: Sampler,
  state: SearchState,
  index: number,
  key: RandomKey,
): Parameters {
  if (index < first.length) return first[index];
  if (kind !== "random" && state.history.length < sampler.startupTrials) {
    const point = sobolPoint(state.space, index - first.length, sequence);
    if (!isTried(state, point)) return point;
  }
  return sampler.suggest(state, key);
}

/** Each point once, where it stood first; points of one space list their parameters in one order. */
export function distinctPoints(points: readonly Parameters[]): readonly Parameters[] {
  return [...new Map(points.map((point) => [JSON.stringify(point), point])).values()];
}
