/**
 * Tree-structured Parzen estimator (Bergstra, Bardenet, Bengio, Kégl 2011; the components and their
 * defaults as compared by Watanabe 2023): past trials are split into good and bad, a density is
 * fitted to each, and of some candidates drawn from the good one that is tried which the ratio of
 * the two densities favours most.
 *
 * Conditional parameters are searched by groups that are present together, each learning from the
 * trials that had it. A suggestion is a function of the state and the key alone: what a sampler
 * keeps between calls is the layout of the last space and scratch arrays.
 */

import { CounterRandom } from "../../compute/random.ts";
import { activationGroups } from "../activation.ts";
import type { Sampler, SearchState } from "../sampler.ts";
import type { Parameters, ParameterValue, SearchSpace } from "../space.ts";
import { drawUntried, isTried } from "../tried-points.ts";
import { GroupSearch, type GroupValues } from "./group-search.ts";
import { splitByDominance, type TrialSplit } from "./split-by-dominance.ts";

export interface TpeOptions {
  /** One joint density for all parameters of a group (default), or one for each parameter. */
  readonly multivariate?: boolean;
  /** Trials that are drawn at random before any density is fitted. Default 10. */
  readonly startupTrials?: number;
  /** Candidates drawn for each suggestion. Default 24. */
  readonly candidates?: number;
}

function groupSearches(space: SearchSpace, multivariate: boolean): readonly GroupSearch[] {
  return activationGroups(space)
    .flatMap((group) =>
      multivariate ? [group] : group.names.map((name) => ({ ...group, names: [name] })),
    )
    .map((group) => new GroupSearch(space, group));
}

export function tpeSampler(options: TpeOptions = {}): Sampler {
  const { multivariate = true, startupTrials = 10, candidates = 24 } = options;
  let layout: { readonly space: string; readonly groups: readonly GroupSearch[] } | null = null;
  return {
    kind: "tpe",
    startupTrials,
    suggest(state, key) {
      const random = new CounterRandom(key);
      if (state.history.length < startupTrials) return drawUntried(state, random);
      // By content: a space that was changed in place must not meet the layout of its old self.
      const space = JSON.stringify(state.space);
      if (layout?.space !== space) {
        layout = { space, groups: groupSearches(state.space, multivariate) };
      }
      return suggestByGroups(layout.groups, state, candidates, random);
    },
  };
}

function suggestByGroups(
  groups: readonly GroupSearch[],
  state: SearchState,
  candidates: number,
  random: CounterRandom,
): Parameters {
  const split = splitTrials(state.history.map(({ losses }) => losses));
  const ranked = new Map<GroupSearch, readonly GroupValues[]>();
  let best: Parameters | null = null;
  // The best candidate of every group; where it has been tried, the second best, and so on.
  for (let rank = 0; rank < candidates; rank++) {
    const point: Record<string, ParameterValue> = {};
    for (const group of groups) {
      const isPresent = group.conditions.every(
        ({ parameter, values }) => parameter in point && values.includes(point[parameter]),
      );
      if (!isPresent) continue;
      let choices = ranked.get(group);
      if (choices === undefined) {
        choices = group.candidates(state, split, candidates, random);
        ranked.set(group, choices);
      }
      for (const [name, value] of choices[Math.min(rank, choices.length - 1)]) point[name] = value;
    }
    if (!isTried(state, point)) return point;
    best ??= point;
  }
  // Every candidate has been tried. So has every point, perhaps: then the best may come again.
  const drawn = drawUntried(state, random);
  return best !== null && isTried(state, drawn) ? best : drawn;
}

/** How many of `count` finished trials are good: a tenth, rounded up, and at most 25. */
export function goodCount(count: number): number {
  return Math.min(Math.ceil(0.1 * count), 25);
}

/**
 * The split of past trials into good and bad (Bergstra, Bardenet, Bengio, Kégl, "Algorithms for
 * hyper-parameter optimization", NeurIPS 2011, §4).
 *
 * @param losses oldest first, one an objective; null for a failed trial, which is never good, as
 * is one that has an objective of NaN
 */
export function splitTrials(losses: readonly (readonly number[] | null)[]): TrialSplit {
  const objectives = losses.find((each) => each !== null)?.length ?? 1;
  if (objectives > 1) return splitByDominance(losses, goodCount(losses.length));
  return { good: splitByLoss(losses.map((each) => each?.[0] ?? Number.NaN)), weights: null };
}

/**
 * Marks the good trials of a single objective. Equal losses go to the earlier trial.
 *
 * @param losses oldest first; NaN for a failed trial
 */
export function splitByLoss(losses: readonly number[]): Uint8Array {
  const wanted = goodCount(losses.length);
  // The best so far, best first. It is short, so inserting is cheaper than sorting all.
  const best: number[] = [];
  for (let i = 0; i < losses.length; i++) {
    const loss = losses[i];
    if (Number.isNaN(loss)) continue;
    if (best.length === wanted && !(loss < losses[best[wanted - 1]])) continue;
    let at = best.length;
    while (at > 0 && loss < losses[best[at - 1]]) at--;
    best.splice(at, 0, i);
    if (best.length > wanted) best.pop();
  }
  const good = new Uint8Array(losses.length);
  for (const index of best) good[index] = 1;
  return good;
}
