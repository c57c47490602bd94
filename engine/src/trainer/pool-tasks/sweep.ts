/** A sweep's models: which trials or blends the weights choose, and which of them are kept. */

import type { Weighing } from "../../ensemble/index.ts";
import {
  type CrossFit,
  type LabelledRows,
  pickPredictions,
  pickRows,
} from "../../ensemble/labelled-rows.ts";
import { toLoss } from "../../metrics/index.ts";
import {
  blendsUnder,
  type Front,
  keepFront,
  type LossRange,
  REFERENCE,
  rangeOfFront,
  simplexLattice,
  spanOf,
  sweepBlends,
  withoutUndefined,
} from "../../pareto/index.ts";
import { metricByName, metricOf } from "../../tasks/fitting-metrics.ts";
import type { ParetoSummary, RunPlan, Selection, SweepPlan } from "../log/events.ts";

/** A blend of the candidates that is to be a model. */
export interface Choice {
  /** One a candidate; they sum to 1. */
  readonly weights: readonly number[];
  /** The same, chosen without each fold. */
  readonly byFold: Weighing["byFold"];
  /** What the metrics weigh for it; several where a sweep came to it by several. */
  readonly metricWeights: readonly (readonly number[])[];
  readonly path: Selection["path"];
}

/**
 * Models of one run at most. Each is a fit on all rows, or copies of its members' fits, and a
 * measurement of its columns' importance.
 */
export const MOST_MODELS = 24;

/**
 * Each blend is chosen on all rows, and once more without each fold's, by the first of its weights:
 * for scores of rows that had no say in it.
 *
 * @param candidates row-major predictions of the given rows
 */
export function sweptBlends(
  plan: RunPlan,
  sweep: SweepPlan,
  candidates: readonly Float64Array[],
  rows: LabelledRows,
  folds: readonly CrossFit[],
): Choice[] {
  const metrics = plan.metrics.map((name) => metricOf(plan.task, name));
  const lattice = simplexLattice(metrics.length, sweep.divisions);
  const { choices } = sweepBlends({ ...rows, candidates, metrics }, lattice);
  const firsts = choices.map(({ metricWeights }) => metricWeights[0]);
  const byFold = folds.map(({ fit }) => {
    const known = candidates.map((each) => pickPredictions(each, rows.outputs, fit));
    return blendsUnder({ ...pickRows(rows, fit), candidates: known, metrics }, firsts);
  });
  return choices.map(({ blend, metricWeights }, choice) => ({
    weights: blend,
    byFold: byFold.map((blends) => blends[choice]),
    metricWeights,
    path: [],
  }));
}

/**
 * The choices, those apart whose weights would tune different decision thresholds: the same blend
 * is one model for accuracy and another for f1.
 */
export function byThreshold(choices: readonly Choice[], { metrics }: RunPlan): Choice[] {
  return choices.flatMap((choice) => {
    const groups = new Map<string | null, (readonly number[])[]>();
    for (const weights of choice.metricWeights) {
      const heaviest = metricByName(metrics[heaviestOf(weights)]);
      const tuned = heaviest.needs === "label" ? heaviest.name : null;
      groups.set(tuned, [...(groups.get(tuned) ?? []), weights]);
    }
    return Array.from(groups.values(), (metricWeights) => ({ ...choice, metricWeights }));
  });
}

/** Ties go to the first. */
export function heaviestOf(metricWeights: readonly number[]): number {
  return metricWeights.indexOf(Math.max(...metricWeights));
}

/** Whether two selections end as one model, though parts of the rows chose otherwise for each. */
export function isSameModel(one: Selection, other: Selection): boolean {
  const partsOf = ({ members, seriesPower, layer, threshold }: Selection): string =>
    JSON.stringify([members, seriesPower, layer, threshold]);
  return partsOf(one) === partsOf(other);
}

/** One selection a model: the first that came to it, for the weights of all. */
export function withoutDoubles(selections: readonly Selection[]): Selection[] {
  const kept: Selection[] = [];
  for (const next of selections) {
    const at = kept.findIndex((each) => isSameModel(each, next));
    if (at < 0) kept.push(next);
    else {
      const alsoFor = [...kept[at].alsoFor, next.metricWeights, ...next.alsoFor];
      kept[at] = { ...kept[at], alsoFor };
    }
  }
  return kept;
}

/** The front of what was selected, by the scores that each selection reports; best first. */
export function frontOf(
  selections: readonly Selection[],
  plan: RunPlan,
  sweep: SweepPlan,
): { readonly selections: readonly Selection[]; readonly pareto: ParetoSummary } {
  const { metrics } = plan;
  const points = withoutUndefined(
    selections.map(({ scores }) =>
      metrics.map((metric) => toLoss(metricByName(metric), scores[metric] ?? Number.NaN)),
    ),
  );
  const range = rangeOfFront(points);
  const front = keepFront(points, range, MOST_MODELS);
  return {
    selections: front.kept.map((place) => selections[place]),
    pareto: summaryOf(front, range, metrics, sweep),
  };
}

function summaryOf(
  front: Front,
  range: LossRange,
  metrics: readonly string[],
  { weights }: SweepPlan,
): ParetoSummary {
  const { hypervolume, dominated, bounded, kept } = front;
  // A loss is the score or its negative; turning it over twice gives the score again.
  const asScores = (losses: readonly number[]): number[] =>
    metrics.map((metric, at) => toLoss(metricByName(metric), losses[at]));
  const reference = range.ideal.map((ideal, at) => ideal + REFERENCE * spanOf(range, at));
  return {
    metrics: [...metrics],
    weights,
    ideal: asScores(range.ideal),
    nadir: asScores(range.nadir),
    reference: asScores(reference),
    hypervolume,
    dominated,
    bounded,
    notes:
      bounded > 0
        ? [
            `The sweep led to ${kept.length + bounded} models of which none is better than another in every metric; a run keeps at most ${MOST_MODELS}: the best of each metric, and then those that add most to the front's hypervolume.`,
          ]
        : [],
  };
}
