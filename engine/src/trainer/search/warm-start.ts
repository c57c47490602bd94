/**
 * Trials of earlier runs as observations of a search that has none of its own yet (transfer by
 * prior observations, as in Swersky, Snoek & Adams, "Multi-task Bayesian optimization", NIPS 2013,
 * and, across data sets, by ranks instead of losses: Bardenet et al., "Collaborative hyperparameter
 * tuning", ICML 2013, and Feurer et al., "Initializing Bayesian hyperparameter optimization via
 * meta-learning", AAAI 2015, for the first trials).
 *
 * Runs on the same rows and label count with their losses. Of others only the order of the trials
 * counts, and less so the more trials the search has itself: each of its own trials takes the place
 * of one of theirs.
 */

import type { Observation } from "../../search/sampler.ts";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import { validateValue } from "../../search/validate-parameters.ts";
import type { PriorRun } from "../config/config.ts";
import { lossOf } from "../log/scores.ts";

/** Observations taken of the earlier runs, all together; those of other data fade from here. */
export const MOST_PRIORS = 50;
/** First trials taken from them. */
export const FIRST_PRIORS = 3;

export interface PriorRow {
  readonly family: string;
  readonly space: SearchSpace;
}

interface Source {
  readonly comparable: boolean;
  /** With losses, one an objective. */
  readonly observations: readonly Settled[];
}

interface Settled extends Observation {
  readonly losses: readonly number[];
}

/**
 * The history of a search over `row`, with what earlier runs found. Without any it is `own` itself.
 *
 * @param own observations of this run, oldest first
 * @param objectives metrics by the order of the losses
 */
export function withPriors(
  own: readonly Observation[],
  warmStart: readonly PriorRun[],
  row: PriorRow,
  objectives: readonly string[],
): readonly Observation[] {
  const sources = sourcesOf(warmStart, row, objectives);
  if (sources.length === 0) return own;
  if (sources.every(({ comparable }) => comparable)) {
    return [...shared(sources, MOST_PRIORS), ...own];
  }
  const ranked = sources.map(({ comparable, observations }) => ({
    comparable,
    observations: byRank(observations),
  }));
  const room = Math.max(0, MOST_PRIORS - own.length);
  const settled = own.filter((one): one is Settled => one.losses !== null);
  const failed = own.filter(({ losses }) => losses === null);
  return [...shared(ranked, room), ...failed, ...byRank(settled)];
}

/**
 * The best configurations of the earlier runs, best first, each once: first trials of the search.
 * Runs take turns, those on the same data first.
 */
export function firstOfPriors(
  warmStart: readonly PriorRun[],
  row: PriorRow,
  objectives: readonly string[],
): readonly Parameters[] {
  const queues = sourcesOf(warmStart, row, objectives)
    .toSorted((a, b) => Number(b.comparable) - Number(a.comparable))
    .map(({ observations }) =>
      byRank(observations).toSorted((a, b) => (a.losses[0] ?? 0) - (b.losses[0] ?? 0)),
    );
  const seen = new Set<string>();
  const first: Parameters[] = [];
  for (let turn = 0; queues.some((queue) => turn < queue.length); turn++) {
    for (const queue of queues) {
      const parameters = queue[turn]?.parameters;
      if (parameters === undefined || first.length >= FIRST_PRIORS) continue;
      const key = JSON.stringify(parameters);
      if (!seen.has(key)) first.push(parameters);
      seen.add(key);
    }
  }
  return first;
}

function sourcesOf(
  warmStart: readonly PriorRun[],
  { family, space }: PriorRow,
  objectives: readonly string[],
): Source[] {
  return warmStart.flatMap(({ comparable, trials }): Source[] => {
    const own = trials.filter((trial) => trial.family === family);
    // A metric that the run did not score stands for by its first one, by order alone.
    const known = own.every(({ scores }) => objectives.every((name) => name in scores));
    const observations = own.flatMap(({ parameters, scores }): Settled[] => {
      const point = pointOf(space, parameters);
      const fallback = Object.keys(scores)[0] ?? "";
      const losses = objectives.map((name) => {
        const metric = name in scores ? name : fallback;
        const score = scores[metric] ?? null;
        return score === null ? Number.NaN : lossOf(metric, score);
      });
      return point === null || losses.some(Number.isNaN) ? [] : [{ parameters: point, losses }];
    });
    return observations.length === 0 ? [] : [{ comparable: comparable && known, observations }];
  });
}

/** The searched part of a trial's parameters; null where the space does not hold them. */
function pointOf(space: SearchSpace, parameters: Parameters): Parameters | null {
  const point: [string, Parameters[string]][] = [];
  for (const [name, parameter] of Object.entries(space)) {
    const { when } = parameter;
    const parent = when && Object.hasOwn(parameters, when.parameter);
    if (when && !(parent && when.values.includes(parameters[when.parameter]))) continue;
    if (!Object.hasOwn(parameters, name)) return null;
    if (validateValue(parameter, parameters[name]) !== null) return null;
    point.push([name, parameters[name]]);
  }
  return Object.fromEntries(point);
}

/** Losses replaced by their mid-ranks in (0, 1), an objective at a time. */
function byRank(observations: readonly Settled[]): Settled[] {
  const objectives = observations[0]?.losses.length ?? 0;
  const ranks = observations.map(() => new Array<number>(objectives).fill(0));
  for (let k = 0; k < objectives; k++) {
    const order = [...observations.keys()].sort(
      (a, b) => observations[a].losses[k] - observations[b].losses[k],
    );
    for (let from = 0, to = 0; from < order.length; from = to) {
      const loss = observations[order[from]].losses[k];
      while (to < order.length && observations[order[to]].losses[k] === loss) to++;
      for (let at = from; at < to; at++) ranks[order[at]][k] = (from + to) / (2 * order.length);
    }
  }
  return observations.map(({ parameters }, at) => ({ parameters, losses: ranks[at] }));
}

/** As many of each source as its share of `room`, evenly from its best to its worst. */
function shared(sources: readonly Source[], room: number): Settled[] {
  const total = sources.reduce((sum, { observations }) => sum + observations.length, 0);
  if (total <= room) return sources.flatMap(({ observations }) => observations);
  return sources.flatMap(({ observations }) => {
    const kept = Math.floor((room * observations.length) / total);
    const sorted = observations.toSorted((a, b) => (a.losses[0] ?? 0) - (b.losses[0] ?? 0));
    return Array.from({ length: kept }, (_, i) => Math.floor((i * sorted.length) / kept)).flatMap(
      (at) => sorted[at] ?? [],
    );
  });
}
