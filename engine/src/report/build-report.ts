/** The report of a run, from its log, its first model and that model's out-of-fold predictions. */

import { deriveKey } from "../compute/random.ts";
import { valuesAt } from "../compute/row-lists.ts";
import { DEFAULT_THRESHOLD } from "../ensemble/index.ts";
import type { LearningCurve } from "../families/learning-curve.ts";
import { scoredByMany } from "../metrics/forecast-quantiles.ts";
import { pickSeries } from "../metrics/metric.ts";
import type { ModelCard } from "../model/document.ts";
import type { Model } from "../model/model.ts";
import { metricByName, metricOf } from "../tasks/fitting-metrics.ts";
import { hasClasses, outputCount, type Task } from "../tasks/index.ts";
import { contentionSince, threadTime } from "../trainer/clock/contention.ts";
import type { RunConfig } from "../trainer/config/config.ts";
import { lossOf } from "../trainer/log/scores.ts";
import { plannedTrials, type RunState } from "../trainer/log/state.ts";
import { baselines } from "../trainer/plan/baseline.ts";
import { evenlySpaced, unpackDataProfile } from "../trainer/plan/data-profile.ts";
import type { PreparedRun } from "../trainer/plan/prepared.ts";
import { outOfFoldRows } from "../trainer/pool-tasks/select.ts";
import { distillationFigures, paretoFigures, uncertaintyFigures } from "./build/card-figures.ts";
import { dataSection } from "./build/data.ts";
import { dependenceSection } from "./build/dependence.ts";
import { explanationSection } from "./build/explanation.ts";
import { outcomeSections } from "./build/outcome.ts";
import { predictingTime } from "./build/predicting-time.ts";
import { seriesScores } from "./build/series-scores.ts";
import { shapesSection } from "./build/shapes.ts";
import { leaderboard, trialSections } from "./build/trials.ts";
import { scoresBy, usualMetrics } from "./build/usual-metrics.ts";
import { REPORT_FORMAT, REPORT_VERSION, type RunReport, type TrialSection } from "./document.ts";
import { parameterImportance } from "./fanova/parameter-importance.ts";

/** Trials beyond are thinned: a report stays small enough to send. */
const MOST_TRIALS = 1200;
/** Of the seconds that explaining rows may take, those for predictions with other values in a column. */
const DEPENDENCE_SHARE = 0.2;
/** Likewise for timing predictions, which is done only where there is this much. */
const TIMED_SHARE = 0.1;
const LEAST_TIMED_SECONDS = 1;

export interface ReportSources {
  readonly name: string;
  readonly run: PreparedRun;
  readonly config: RunConfig;
  readonly state: RunState;
  /** The run's first model. */
  readonly model: Model;
  /** Of the first selection, row-major over `outOfFoldRows`. */
  readonly predictions: Float64Array;
  /** Of two classes: the labels that it says of those rows, 0 or 1; else null. */
  readonly labels: Float64Array | null;
  readonly curves: readonly FoldCurve[];
  /** Seconds that explaining rows may take. */
  readonly explainSeconds: number;
  /**
   * Under a time budget, processor seconds that are kept for drawing, and how many times as long they were taken to
   * last: where the report finds that they last longer, it explains fewer rows.
   */
  readonly keptForDrawing?: { readonly processor: number; readonly contention: number };
}

export interface FoldCurve {
  readonly trial: number;
  readonly fold: number;
  readonly curve: LearningCurve;
}

export function buildReport(sources: ReportSources): RunReport {
  const { name, run, config, state, model } = sources;
  const { plan } = run;
  const { card } = model.document;
  const { labelColumn } = config.task;
  const profile = unpackDataProfile(run.profile);
  const trials = trialSections(
    state,
    plan.metrics,
    run.folds.map(({ valid }) => valid.length),
  );
  const leaders = leaderboard(trials, plan.metrics[0]);
  const kept = keptTrials(trials, leaders);
  const rows = outOfFoldRows(run);
  const target = valuesAt(run.target, rows);
  const weights = run.weights && valuesAt(run.weights, rows);
  const series = run.series && pickSeries(run.series, rows);
  const scored = { task: run.task, target, predictions: sources.predictions, weights, series };
  const outputs = outputCount(run.task);
  const { predictions } = sources;
  const rowsOfModel = scoredByMany({ target, predictions, outputs, weights, series });
  const others = usualMetrics(run.task).filter(({ name: other }) => !plan.metrics.includes(other));
  const uncertainty = uncertaintyFigures(card);
  const shownMetrics = [...plan.metrics.map((metric) => metricOf(run.task, metric)), ...others];
  const { best, lastValue } = baselines({ ...run, rows: plan.rows }, shownMetrics);
  const distillation = distillationFigures(card, state.speeds[0]);
  const explaining = explainingTime(sources);
  const shapes = shapesSection(model);
  const began = performance.now();
  const dependence = dependenceSection(
    model,
    profile.sample,
    columnsOf(card),
    DEPENDENCE_SHARE * explaining(),
  );
  const dependenceSeconds = (performance.now() - began) / 1000;
  const isTimed = sources.explainSeconds >= LEAST_TIMED_SECONDS;
  const timedSeconds = isTimed ? TIMED_SHARE * explaining() : 0;
  const explanation = explanationSection(
    model,
    profile.sample,
    mostFrequentClass(target, run.task),
    () => explaining() - dependenceSeconds - timedSeconds,
  );
  const predicting = isTimed
    ? predictingTime(model, run, explanation === null ? null : profile.sample, timedSeconds)
    : null;
  return {
    format: REPORT_FORMAT,
    version: REPORT_VERSION,
    name,
    warnings: [...card.warnings],
    run: { ...runSection(run, config, state), ...(card.budget ? { budget: card.budget } : {}) },
    models: state.selections.map((selection, index) => ({
      kind: selection.kind,
      metricWeights: [...selection.metricWeights],
      stacked: selection.layer !== null,
      refitted: selection.kind === "winner" || state.memberRefits[index] !== undefined,
      notes: [...selection.notes],
      scores: { ...selection.scores },
      ...(selection.meanFoldScores ? { meanFoldScores: { ...selection.meanFoldScores } } : {}),
      ...(index === 0 ? { otherScores: scoresBy(others, rowsOfModel, sources.labels) } : {}),
      members: selection.members.map(({ trial, weight }) => ({
        trial,
        family: state.trials[trial].family,
        weight,
      })),
    })),
    baseline: { ...best },
    ...(lastValue ? { lastValue: { ...lastValue } } : {}),
    ...(predicting ? { predicting } : {}),
    data: dataSection(run, profile, labelColumn),
    leaderboard: leaders,
    trials: kept,
    trialsLeftOut: trials.length - kept.length,
    ...curveSections(sources.curves, trials),
    ...parameterSections(sources, trials),
    ...(state.pareto ? { pareto: paretoFigures(state.pareto) } : {}),
    ...outcomeSections({
      ...scored,
      labels: sources.labels,
      threshold: model.document.threshold ?? DEFAULT_THRESHOLD,
      run,
      model,
      seconds: sources.explainSeconds,
    }),
    ...(run.data.frame?.kind === "series"
      ? seriesScores(rowsOfModel, run.data.frame.names, shownMetrics)
      : {}),
    importance: importanceSection(card),
    ...(explanation ? { explanation } : {}),
    ...(dependence ? { dependence } : {}),
    ...(shapes ? { shapes } : {}),
    ...(uncertainty ? { uncertainty } : {}),
    ...(distillation ? { distillation } : {}),
    environment: { ...card.environment },
  };
}

/** Seconds that explaining rows may take, as they are known while it does. */
function explainingTime({ explainSeconds, keptForDrawing }: ReportSources): () => number {
  const begun = threadTime();
  return () => {
    if (keptForDrawing === undefined || explainSeconds <= 0) return explainSeconds;
    const { processor, contention } = keptForDrawing;
    return explainSeconds - processor * Math.max(0, contentionSince(begun) - contention);
  };
}

/** The best, and others evenly spaced, in the order of their numbers. */
function keptTrials(trials: readonly TrialSection[], leaders: readonly number[]): TrialSection[] {
  if (trials.length <= MOST_TRIALS) return [...trials];
  const best = new Set(leaders.slice(0, MOST_TRIALS / 2));
  const others = trials.filter(({ number }) => !best.has(number));
  for (const place of evenlySpaced(others.length, MOST_TRIALS / 2)) best.add(others[place].number);
  return trials.filter(({ number, weight }) => best.has(number) || weight > 0);
}

function runSection(run: PreparedRun, config: RunConfig, state: RunState): RunReport["run"] {
  const { plan } = run;
  const trials: Record<string, number> = { planned: plannedTrials(state) };
  for (const { state: end } of state.trials) trials[end] = (trials[end] ?? 0) + 1;
  return {
    task: run.task.kind,
    label: config.task.labelColumn,
    classes: [...run.task.classes],
    rows: plan.rows,
    features: plan.features,
    columns: plan.columns.length,
    splitter: plan.splitter,
    folds: plan.folds,
    metrics: plan.metrics.map((metric) => ({
      name: metric,
      direction: metricByName(metric).direction,
    })),
    families: [
      ...plan.matrix.map(({ family, reason }) => ({ family, reason, used: true })),
      ...plan.leftOut.map(({ family, reason }) => ({ family, reason, used: false })),
    ],
    trials,
    started: state.startedAt,
    seconds:
      state.elapsed ??
      (state.startedAt && state.updatedAt
        ? (Date.parse(state.updatedAt) - Date.parse(state.startedAt)) / 1000
        : null),
    stopped: state.stopped?.reason ?? null,
    config: JSON.parse(JSON.stringify(config)),
  };
}

function curveSections(
  curves: readonly FoldCurve[],
  trials: readonly TrialSection[],
): Pick<RunReport, "learningCurves"> {
  if (curves.length === 0) return {};
  return {
    learningCurves: curves.map(({ trial, fold, curve }) => ({
      trial,
      fold,
      family: trials[trial].family,
      loss: curve.loss,
      iterations: [...curve.iterations],
      values: [...curve.values],
    })),
  };
}

function parameterSections(
  { run, state, config }: ReportSources,
  trials: readonly TrialSection[],
): Pick<RunReport, "parameterImportance"> {
  const [metric] = run.plan.metrics;
  const sections = run.plan.matrix.flatMap(({ family, space }, row) => {
    const observed = trials
      .filter((trial) => state.trials[trial.number].row === row && trial.state === "finished")
      .map(({ parameters, scores }) => ({
        parameters,
        loss: lossOf(metric, scores?.[metric] ?? null),
      }));
    const found = parameterImportance(
      space,
      observed,
      deriveKey(config.randomState, "report", row),
    );
    return found ? [{ family, ...found, parameters: [...found.parameters] }] : [];
  });
  return sections.length > 0 ? { parameterImportance: sections } : {};
}

function importanceSection({ importance }: ModelCard): RunReport["importance"] {
  return { gain: [...importance.gain], permutation: [...importance.permutation] };
}

/** What the model relies on, the first most: by shuffling, where that was measured; without what it does not read. */
function columnsOf({ importance: { permutation, gain } }: ModelCard): string[] {
  const ranked = permutation.some(({ importance }) => importance > 0) ? permutation : gain;
  return ranked.flatMap(({ column, importance }) => (importance > 0 ? [column] : []));
}

/** Of the outputs of a task of classes: 0 where there is one for two of them. */
function mostFrequentClass(target: Float64Array, task: Task): number {
  if (!hasClasses(task) || outputCount(task) === 1) return 0;
  const counts = new Float64Array(task.classes.length);
  for (const k of target) counts[k]++;
  return counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0));
}
