/**
 * Selecting the models among finished trials: a greedy blend over out-of-fold predictions, or the
 * winner by mean fold score; with a sweep, one for each weight of the metrics. A task for a worker, since it reads every prediction many times.
 */

import { blend, greedySelection } from "../ensemble/index.ts";
import { metricByName, toLoss } from "../metrics/index.ts";
import { outputCount } from "../tasks/task.ts";
import type { ParetoSummary, RunPlan, Selection } from "./events.ts";
import { scoreRows } from "./fit-task.ts";
import type { PreparedRun } from "./prepared.ts";
import { frontOf, sweptBlends, type Winner } from "./sweep.ts";

export interface Candidate {
  readonly trial: number;
  /** Row-major over `outOfFoldRows`. */
  readonly predictions: Float64Array;
}

export interface SelectInput {
  readonly run: PreparedRun;
  /** Trials that are models by themselves; null: blends of the candidates are selected. */
  readonly winners: readonly Winner[] | null;
  readonly candidates: readonly Candidate[];
}

export interface Selected {
  /** At least one; the best on the first metric first. */
  readonly selections: readonly Selection[];
  /** Of a sweep. */
  readonly pareto?: ParetoSummary;
}

/** A blend of the candidates that is to be a model. */
export interface Choice {
  /** One a candidate; they sum to 1. */
  readonly weights: readonly number[];
  /** What the metrics weigh for it; several where a sweep came to it by several. */
  readonly metricWeights: readonly (readonly number[])[];
  readonly path: Selection["path"];
}

/** Rows that have an out-of-fold prediction: the folds' validation rows, one after the other. */
export function outOfFoldRows(run: PreparedRun): Uint32Array {
  const length = run.folds.reduce((sum, fold) => sum + fold.valid.length, 0);
  const rows = new Uint32Array(length);
  let offset = 0;
  for (const fold of run.folds) {
    rows.set(fold.valid, offset);
    offset += fold.valid.length;
  }
  return rows;
}

export function select(input: SelectInput): Selected {
  const { run } = input;
  const rows = outOfFoldRows(run);
  const selections = choices(input, rows).map((choice) => finish(input, choice, rows));
  const { sweep } = run.plan;
  return sweep ? frontOf(selections, run.plan, sweep) : { selections };
}

function choices(input: SelectInput, rows: Uint32Array): readonly Choice[] {
  const { run, winners, candidates } = input;
  if (winners) {
    return winners.map(({ trial, metricWeights }) => ({
      weights: candidates.map((candidate) => (candidate.trial === trial ? 1 : 0)),
      metricWeights,
      path: [],
    }));
  }
  const predictions = candidates.map((candidate) => candidate.predictions);
  const { sweep } = run.plan;
  if (sweep) return sweptBlends(run, sweep, predictions, rows);
  const chosen = greedySelection({
    candidates: predictions,
    target: Float64Array.from(rows, (row) => run.target[row]),
    weights: run.weights ? Float64Array.from(rows, (row) => run.weights?.[row] ?? 1) : null,
    outputs: outputCount(run.task),
    metric: metricByName(run.plan.metrics[0]),
  });
  return [
    {
      weights: chosen.weights,
      metricWeights: [firstMetricAlone(run.plan)],
      path: chosen.path.map(({ member, loss }) => ({ trial: candidates[member].trial, loss })),
    },
  ];
}

/** What a run without a sweep weighs. */
export function firstMetricAlone({ metrics }: RunPlan): number[] {
  return metrics.map((_, index) => (index === 0 ? 1 : 0));
}

function finish(input: SelectInput, choice: Choice, rows: Uint32Array): Selection {
  const { run, winners, candidates } = input;
  const members = candidates
    .map(({ trial }, index) => ({ trial, weight: choice.weights[index] }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.trial - b.trial);
  const blended = blend(
    candidates.map((candidate) => candidate.predictions),
    choice.weights,
  );
  const [metricWeights, ...alsoFor] = choice.metricWeights;
  return {
    kind: winners ? "winner" : "ensemble",
    metricWeights,
    alsoFor,
    members,
    scores: scoreRows(run, blended, rows),
    path: choice.path,
  };
}

/** Ties go to the earlier trial. */
export function bestByLoss<T extends { readonly trial: number; readonly loss: number }>(
  candidates: readonly T[],
): T {
  return candidates.reduce((best, candidate) => (candidate.loss < best.loss ? candidate : best));
}

/** The loss that orders trials: a mean fold score as a loss; an undefined one is worse than any. */
export function lossOf(metric: string, score: number | null): number {
  return score === null ? Number.POSITIVE_INFINITY : toLoss(metricByName(metric), score);
}
