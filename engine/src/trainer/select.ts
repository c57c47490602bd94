/**
 * Selecting the models among finished trials: a greedy blend over out-of-fold predictions, or the
 * winner by mean fold score; with a sweep, one for each weight of the metrics. Trials are calibrated
 * first, and each selection ends as the parts of one model (see `ensemble/fit-combination.ts`). A
 * task for a worker, since it reads every prediction many times.
 */

import {
  type CrossFit,
  crossFits,
  type FittedCalibration,
  type FittedCombination,
  fitCalibration,
  fitCombination,
  type LabelledRows,
  type Weighing,
  weighGreedily,
  weighingMetric,
} from "../ensemble/index.ts";
import { metricByName, toLoss } from "../metrics/index.ts";
import { outputCount } from "../tasks/task.ts";
import type { RunConfig } from "./config.ts";
import type { ParetoSummary, RunPlan, Scores, Selection } from "./events.ts";
import { scoreRows } from "./fit-task.ts";
import type { PreparedRun } from "./prepared.ts";
import { byThreshold, frontOf, heaviestOf, sweptBlends, type Winner } from "./sweep.ts";

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
  readonly settings: Pick<RunConfig, "calibration" | "stacking" | "tuneThreshold">;
}

export interface Selected {
  /** At least one; the best on the first metric first. */
  readonly selections: readonly Selection[];
  /** Of each: its final predictions of `outOfFoldRows`, cross-fitted. Row-major. */
  readonly predictions: readonly Float64Array[];
  /** Of a sweep. */
  readonly pareto?: ParetoSummary;
}

/** A blend of the candidates that is to be a model. */
export interface Choice {
  /** One a candidate; they sum to 1. */
  readonly weights: readonly number[];
  /** The same, chosen without each fold; absent: they are not chosen anew. */
  readonly byFold?: Weighing["byFold"];
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
  const pool = poolOf(input);
  const { run } = input;
  const { sweep } = run.plan;
  const chosen = choices(input, pool);
  const tunes = sweep && input.settings.tuneThreshold && run.task.kind === "binclass";
  const ended = (tunes ? byThreshold(chosen, run.plan) : chosen).map((choice) => ({
    choice,
    fitted: fitChoice(input, choice, pool),
  }));
  const selections = ended.map(({ choice, fitted }) => finish(input, choice, fitted, pool));
  const predictionsOf = (selection: Selection): Float64Array =>
    ended[selections.indexOf(selection)].fitted.crossFitted;
  const kept = sweep ? frontOf(selections, run.plan, sweep) : { selections };
  return { ...kept, predictions: kept.selections.map(predictionsOf) };
}

/** The candidates, calibrated, beside the truth of their rows. */
interface Pool {
  readonly rows: Uint32Array;
  readonly labelled: LabelledRows;
  readonly folds: readonly CrossFit[];
  readonly candidates: readonly FittedCalibration[];
}

function poolOf({ run, candidates, settings }: SelectInput): Pool {
  const rows = outOfFoldRows(run);
  const labelled = {
    target: Float64Array.from(rows, (row) => run.target[row]),
    weights: weightsOf(run.weights, rows),
    outputs: outputCount(run.task),
  };
  // Who weighs classes wants labels by those weights; calibration must not take them back.
  const weighed = { ...labelled, weights: weightsOf(run.fitWeights, rows) };
  const folds = crossFits(run.folds.map(({ valid }) => valid.length));
  const calibrates = settings.calibration && run.task.kind !== "regression";
  return {
    rows,
    labelled,
    folds,
    candidates: candidates.map(({ predictions }) =>
      calibrates
        ? fitCalibration(predictions, weighed, folds)
        : { calibration: null, crossFitted: predictions },
    ),
  };
}

function weightsOf(weights: Float64Array | null, rows: Uint32Array): Float64Array | null {
  return weights && Float64Array.from(rows, (row) => weights[row]);
}

function choices(input: SelectInput, pool: Pool): readonly Choice[] {
  const { run, winners, candidates } = input;
  if (winners) {
    return winners.map(({ trial, metricWeights }) => ({
      weights: candidates.map((candidate) => (candidate.trial === trial ? 1 : 0)),
      metricWeights,
      path: [],
    }));
  }
  const { sweep } = run.plan;
  if (sweep) {
    const predictions = pool.candidates.map(({ crossFitted }) => crossFitted);
    return sweptBlends(run.plan, sweep, predictions, pool.labelled, pool.folds);
  }
  const metric = weighingMetric(metricByName(run.plan.metrics[0]));
  const chosen = weighGreedily(pool.candidates, pool.labelled, pool.folds, metric);
  return [
    {
      weights: chosen.weights,
      byFold: chosen.byFold,
      metricWeights: [firstMetricAlone(run.plan)],
      path: chosen.path.map(({ member, loss }) => ({ trial: candidates[member].trial, loss })),
    },
  ];
}

/** What a run without a sweep weighs. */
export function firstMetricAlone({ metrics }: RunPlan): number[] {
  return metrics.map((_, index) => (index === 0 ? 1 : 0));
}

function fitChoice(input: SelectInput, choice: Choice, pool: Pool): FittedCombination {
  const { run, winners, settings } = input;
  const { metrics, sweep } = run.plan;
  const [metricWeights] = choice.metricWeights;
  return fitCombination({
    task: run.task,
    candidates: pool.candidates,
    rows: pool.labelled,
    folds: pool.folds,
    weighing: {
      weights: choice.weights,
      byFold: choice.byFold ?? pool.folds.map(() => choice.weights),
    },
    metric: metricByName(metrics[heaviestOf(metricWeights)]),
    // A layer is fitted to one loss; a sweep's blends are to several.
    stacking: settings.stacking && !winners && !sweep,
    tuneThreshold: settings.tuneThreshold,
  });
}

function finish(
  input: SelectInput,
  choice: Choice,
  fitted: FittedCombination,
  pool: Pool,
): Selection {
  const { run, winners, candidates } = input;
  const members = candidates
    .map(({ trial }, index) => ({
      trial,
      weight: fitted.weights[index],
      calibration: pool.candidates[index].calibration,
    }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.trial - b.trial);
  const [metricWeights, ...alsoFor] = choice.metricWeights;
  return {
    kind: winners ? "winner" : "ensemble",
    metricWeights,
    alsoFor,
    members,
    layer: fitted.intercepts && { intercepts: fitted.intercepts },
    threshold: fitted.threshold,
    scores: scoresOf(run, fitted, pool.rows),
    path: choice.path,
    notes: fitted.notes,
  };
}

/** Metrics of labels read those of the threshold, the others the probabilities or values. */
function scoresOf(run: PreparedRun, fitted: FittedCombination, rows: Uint32Array): Scores {
  const scores = scoreRows(run, fitted.crossFitted, rows);
  if (fitted.labels === null) return scores;
  const ofLabels = scoreRows(run, fitted.labels, rows);
  return Object.fromEntries(
    run.plan.metrics.map((name) => [
      name,
      (metricByName(name).needs === "label" ? ofLabels : scores)[name],
    ]),
  );
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
