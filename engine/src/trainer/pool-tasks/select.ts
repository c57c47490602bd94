/**
 * Selecting the models among finished trials: a greedy blend over out-of-fold predictions, or the
 * winner by mean fold score; with a sweep, one for each weight of the metrics. Trials are calibrated
 * first, and each selection ends as the parts of one model (see `ensemble/fit-combination.ts`). A
 * task for a worker, since it reads every prediction many times.
 */

import { collectPassingArrays } from "../../compute/garbage.ts";
import { joined, valuesAt } from "../../compute/row-lists.ts";
import {
  type CrossFit,
  crossFits,
  type FittedCalibration,
  type FittedCombination,
  fitCalibration,
  fitCombination,
  type LabelledRows,
  sharpened,
  weighGreedily,
  weighingMetric,
} from "../../ensemble/index.ts";
import { FAMILIES } from "../../families/index.ts";
import { heldPredictions } from "../../metrics/held-forecasts.ts";
import { pickSeries } from "../../metrics/metric.ts";
import { metricByName, metricOf } from "../../tasks/fitting-metrics.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { RunConfig } from "../config/config.ts";
import type { ParetoSummary, Scores, Selection } from "../log/events.ts";
import type { PreparedRun } from "../plan/prepared.ts";
import { scoreRows } from "./fit-task.ts";
import { notesOfBounds } from "./notes-of-bounds.ts";
import {
  byThreshold,
  type Choice,
  frontOf,
  heaviestOf,
  isSameModel,
  sweptBlends,
  withoutDoubles,
} from "./sweep.ts";
import {
  type Candidate,
  chooseWinners,
  firstMetricAlone,
  lossesWithoutParts,
  type TrialLosses,
  type Winner,
} from "./winners.ts";

/** Families of naive methods. */
const NAIVE: ReadonlySet<string> = new Set(
  FAMILIES.flatMap(({ id, isNaive }) => (isNaive === true ? [id] : [])),
);

export type Contest =
  /** Blends of the candidates are selected. */
  | { readonly kind: "blends" }
  /** Trials that are models by themselves. */
  | { readonly kind: "winners"; readonly winners: readonly Winner[] }
  /** The same of a single holdout, whose parts show only here: the trials to choose among. */
  | { readonly kind: "contenders"; readonly trials: readonly TrialLosses[] };

export interface SelectInput {
  readonly run: PreparedRun;
  readonly contest: Contest;
  readonly candidates: readonly Candidate[];
  readonly settings: Pick<RunConfig, "calibration" | "stacking" | "tuneThreshold">;
}

export interface Selected {
  /** At least one; the best on the first metric first. */
  readonly selections: readonly Selection[];
  /** Of each: its final predictions of `outOfFoldRows`, cross-fitted, forecasts within their bounds. Row-major. */
  readonly predictions: readonly Float64Array[];
  /** Of each, for two classes: its labels, 0 or 1, by a threshold tuned without the row; else null. */
  readonly labels: readonly (Float64Array | null)[];
  /** Of each and of its members: one a series; null where these have the same weight for all. */
  readonly bySeries: readonly (readonly Float64Array[] | null)[];
  /** Of a sweep. */
  readonly pareto?: ParetoSummary;
}

/** Rows that have an out-of-fold prediction: the folds' validation rows, one after the other. */
export function outOfFoldRows(run: PreparedRun): Uint32Array {
  return joined(run.folds.map(({ valid }) => valid));
}

export function select(given: SelectInput): Selected {
  const rows = outOfFoldRows(given.run);
  const folds = crossFits(given.run.folds.map(({ valid }) => valid.length));
  const winners = winnersOf(given, rows, folds);
  const taking = new Set(winners?.flatMap(({ trial, byPart }) => [trial, ...byPart]));
  const candidates = winners
    ? given.candidates.filter(({ trial }) => taking.has(trial))
    : given.candidates;
  const input: Contestants = { ...given, winners, candidates };
  const pool = poolOf(input, rows, folds);
  collectPassingArrays();
  const { run } = input;
  const { sweep } = run.plan;
  const chosen = choices(input, pool);
  collectPassingArrays();
  const tunes = sweep && input.settings.tuneThreshold && typeOf(run.task).decision === "threshold";
  const ended = (tunes ? byThreshold(chosen, run.plan) : chosen).map((choice) => ({
    choice,
    fitted: fitChoice(input, choice, pool),
  }));
  collectPassingArrays();
  const finished = ended.map(({ choice, fitted }) => finish(input, choice, fitted, pool));
  const fittedOf = (selection: Selection): FittedCombination =>
    ended[finished.findIndex((each) => isSameModel(each, selection))].fitted;
  const kept = sweep
    ? frontOf(withoutDoubles(finished), run.plan, sweep)
    : { selections: finished };
  return {
    ...kept,
    predictions: kept.selections.map((selection) => {
      const { crossFitted } = fittedOf(selection);
      const { series } = pool.labelled;
      return series ? heldPredictions(crossFitted, series) : crossFitted;
    }),
    labels: kept.selections.map((selection) => fittedOf(selection).labels),
    bySeries: kept.selections.map((selection) => {
      const weights = fittedOf(selection).bySeries?.weights;
      const placeOf = (trial: number): number =>
        candidates.findIndex((candidate) => candidate.trial === trial);
      return weights ? selection.members.map(({ trial }) => weights[placeOf(trial)]) : null;
    }),
  };
}

interface Contestants extends Pick<SelectInput, "run" | "candidates" | "settings"> {
  /** Null: blends are selected. */
  readonly winners: readonly Winner[] | null;
}

function winnersOf(
  { run, contest, candidates }: SelectInput,
  rows: Uint32Array,
  folds: readonly CrossFit[],
): readonly Winner[] | null {
  switch (contest.kind) {
    case "blends":
      return null;
    case "winners":
      return contest.winners;
    case "contenders": {
      const without = lossesWithoutParts(run, candidates, rows, folds);
      return chooseWinners(run.plan, contest.trials, without);
    }
  }
}

/** The candidates, calibrated, beside the truth of their rows. */
interface Pool {
  readonly rows: Uint32Array;
  readonly labelled: LabelledRows;
  /** With those of classes. */
  readonly fitWeights: Float64Array | null;
  readonly folds: readonly CrossFit[];
  readonly candidates: readonly FittedCalibration[];
}

function poolOf(
  { run, candidates, settings }: Contestants,
  rows: Uint32Array,
  folds: readonly CrossFit[],
): Pool {
  const labelled = {
    target: valuesAt(run.target, rows),
    weights: weightsOf(run.weights, rows),
    outputs: outputCount(run.task),
    series: run.series && pickSeries(run.series, rows),
  };
  // Who weighs classes wants labels by those weights; calibration must not take them back.
  const fitWeights = weightsOf(run.fitWeights, rows);
  const weighed = { ...labelled, weights: fitWeights };
  const calibrators = settings.calibration ? typeOf(run.task).calibrators : [];
  return {
    rows,
    labelled,
    fitWeights,
    folds,
    candidates: candidates.map(({ predictions }) =>
      calibrators.length > 0
        ? fitCalibration(predictions, weighed, folds, calibrators)
        : { calibration: null, crossFitted: predictions },
    ),
  };
}

function weightsOf(weights: Float64Array | null, rows: Uint32Array): Float64Array | null {
  return weights && valuesAt(weights, rows);
}

function choices(input: Contestants, pool: Pool): readonly Choice[] {
  const { run, winners, candidates } = input;
  if (winners) {
    const alone = (trial: number): number[] =>
      candidates.map((candidate) => (candidate.trial === trial ? 1 : 0));
    return winners.map(({ trial, byPart, metricWeights }) => ({
      weights: alone(trial),
      byFold: byPart.map(alone),
      metricWeights,
      path: [],
    }));
  }
  const { sweep } = run.plan;
  if (sweep) {
    const predictions = pool.candidates.map(({ crossFitted }) => crossFitted);
    return sweptBlends(run.plan, sweep, predictions, pool.labelled, pool.folds);
  }
  const metric = weighingMetric(metricOf(run.task, run.plan.metrics[0]));
  const families = candidates.map(({ family }) => family);
  const { familyShares } = typeOf(run.task);
  const sharing = { families, familyShares, naive: NAIVE };
  const chosen = weighGreedily(pool.candidates, pool.labelled, pool.folds, metric, sharing);
  return [
    {
      weights: chosen.weights,
      byFold: chosen.byFold,
      metricWeights: [firstMetricAlone(run.plan)],
      path: chosen.path.map(({ member, loss }) => ({ trial: candidates[member].trial, loss })),
    },
  ];
}

function fitChoice(input: Contestants, choice: Choice, pool: Pool): FittedCombination {
  const { run, winners, settings } = input;
  const { metrics, sweep } = run.plan;
  const [metricWeights] = choice.metricWeights;
  return fitCombination({
    task: run.task,
    candidates: pool.candidates,
    rows: pool.labelled,
    fitWeights: pool.fitWeights,
    folds: pool.folds,
    weighing: choice,
    metric: metricOf(run.task, metrics[heaviestOf(metricWeights)]),
    // Who wants no calibration wants probabilities as members give them.
    corrections: settings.calibration && !winners && !sweep,
    // A layer is fitted to one loss; a sweep's blends are to several.
    stacking: settings.stacking && !winners && !sweep,
    // A winner is its trial as it is; in the order of time, a mean of all rows knows what comes.
    constantShare: !winners && !sweep && run.folds.every(({ latest }) => latest === undefined),
    tuneThreshold: settings.tuneThreshold,
  });
}

function finish(
  input: Contestants,
  choice: Choice,
  fitted: FittedCombination,
  pool: Pool,
): Selection {
  const { run, winners, candidates } = input;
  const members = candidates
    .flatMap(({ trial, repeats }, index) =>
      [trial, ...repeats].map((each) => ({
        trial: each,
        weight: fitted.weights[index] / (1 + repeats.length),
        calibration: sharpened(
          pool.candidates[index].calibration,
          fitted.sharpness,
          pool.labelled.outputs,
        ),
      })),
    )
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.trial - b.trial);
  const [metricWeights, ...alsoFor] = choice.metricWeights;
  const scores = scoresOf(run, fitted, pool.rows);
  const ofFolds = run.folds.length > 1 ? foldScores(run, fitted, pool.rows) : [scores];
  return {
    kind: winners ? "winner" : "ensemble",
    metricWeights,
    alsoFor,
    members,
    ...(fitted.bySeries ? { seriesPower: fitted.bySeries.power } : {}),
    layer: fitted.intercepts && { intercepts: fitted.intercepts },
    threshold: fitted.threshold,
    scores,
    ...(ofFolds.length > 1 ? { meanFoldScores: meanScoresOf(run, ofFolds) } : {}),
    path: choice.path,
    notes: [
      ...fitted.notes,
      ...notesOfChoice(input, choice),
      ...notesOfRepeats(input, members),
      ...notesOfTime(run, ofFolds),
      ...notesOfBounds(run.data.frame),
    ],
  };
}

function notesOfRepeats(
  { candidates }: Contestants,
  members: Selection["members"],
): readonly string[] {
  const repeated = members.flatMap(({ trial }) => {
    const repeats = candidates.find((candidate) => candidate.trial === trial)?.repeats ?? [];
    return repeats.length > 0 ? [`${trial} (${repeats.join(", ")})`] : [];
  });
  if (repeated.length === 0) return [];
  return [
    `Trials are averaged with fits of their parameters with other random numbers, given in brackets: ${repeated.join(", ")}.`,
  ];
}

/** What the scores are of, where they are not those of the trial, or not of all that was chosen. */
function notesOfChoice(
  { winners, run }: Contestants,
  { weights, byFold }: Choice,
): readonly string[] {
  const own = weights.indexOf(1);
  const others = winners ? byFold.filter((chosen) => chosen.indexOf(1) !== own).length : 0;
  return [
    ...(others === 0
      ? []
      : [
          `Its trial was the best of several on the very rows that it is scored on. So that its scores do not flatter it, each of ${byFold.length} parts of the rows is scored by the trial that the other parts would have chosen: another one for ${others} of them.`,
        ]),
    ...(run.plan.sweep
      ? [
          "Every model is scored on rows that did not influence it; but which models are kept, as better than others in some metric, was decided by these scores.",
        ]
      : []),
  ];
}

/** Of the model, fold by fold. */
function foldScores(
  run: PreparedRun,
  { crossFitted, labels }: FittedCombination,
  rows: Uint32Array,
): readonly Scores[] {
  const outputs = crossFitted.length / rows.length;
  let from = 0;
  return run.folds.map(({ valid }) => {
    const to = from + valid.length;
    const scores = scoresOf(
      run,
      {
        crossFitted: crossFitted.subarray(from * outputs, to * outputs),
        labels: labels?.subarray(from, to) ?? null,
      },
      rows.subarray(from, to),
    );
    from = to;
    return scores;
  });
}

function meanScoresOf({ plan }: PreparedRun, ofFolds: readonly Scores[]): Scores {
  const mean = (name: string): number | null => {
    let sum = 0;
    for (const scores of ofFolds) {
      const score = scores[name] ?? null;
      if (score === null) return null;
      sum += score;
    }
    return sum / ofFolds.length;
  };
  return Object.fromEntries(plan.metrics.map((name) => [name, mean(name)]));
}

/** How the score went where folds follow time: the first may know a part of a year alone, and future rows none of that. */
function notesOfTime({ plan, folds }: PreparedRun, ofFolds: readonly Scores[]): readonly string[] {
  if (folds.length === 1 || folds.some(({ latest }) => latest === undefined)) return [];
  const [metric] = plan.metrics;
  const scores = ofFolds.map((each) => each[metric] ?? null);
  const shown = scores.map((score) => (score === null ? "undefined" : score.toPrecision(4)));
  const learned = folds.map(({ train }) => train.length.toLocaleString("en"));
  return [
    `Fold by fold, in order of time, ${metric} is ${shown.join(", ")}. The first fold learned from ${learned[0]} rows and the last from ${learned.at(-1)}, which is most like the model and what it will meet. Where early folds are far worse, their past may have been too short, without some seasons, and then the scores of all folds are worse than what to expect.`,
  ];
}

/** Metrics of labels read those of the threshold, the others the probabilities or values. */
function scoresOf(
  run: PreparedRun,
  fitted: Pick<FittedCombination, "crossFitted" | "labels">,
  rows: Uint32Array,
): Scores {
  const { metrics } = run.plan;
  const ofLabels = metrics.filter((name) => metricByName(name).needs === "label");
  if (fitted.labels === null || ofLabels.length === 0) {
    return scoreRows(run, fitted.crossFitted, rows);
  }
  const others = metrics.filter((name) => !ofLabels.includes(name));
  const scores = {
    ...scoreRows(run, fitted.crossFitted, rows, others),
    ...scoreRows(run, fitted.labels, rows, ofLabels),
  };
  return Object.fromEntries(metrics.map((name) => [name, scores[name]]));
}
