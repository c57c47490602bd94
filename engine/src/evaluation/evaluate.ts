/**
 * Models on rows whose truth is known: scores with intervals, by slices of the rows, calibration, and one
 * model against another on the same rows.
 */

import { z } from "zod";
import { isShort, percentOf } from "../conformal/index.ts";
import { isMissingCell } from "../data/coerce.ts";
import { readTableFromFile } from "../data/readers/read-table.ts";
import { shown } from "../data/shown.ts";
import { openStoredTable } from "../data/stored/stored-table.ts";
import { DataError, type Table } from "../data/table.ts";
import { takeRows } from "../data/table-rows.ts";
import { type Metric, pickRowsOf, type ScoredRows } from "../metrics/metric.ts";
import type { Model } from "../model/model.ts";
import type { ModelPredictions } from "../model/predictions.ts";
import type { RowSketch } from "../model/row-sketch.ts";
import { predictionSections } from "../report/build/outcome.ts";
import { metricForTask, metricOf } from "../tasks/fitting-metrics.ts";
import type { StepsOfRows } from "../tasks/framing.ts";
import { type Task, typeOf } from "../tasks/index.ts";
import { findColumn } from "../tasks/named-column.ts";
import type { TableFile } from "../trainer/plan/run-table.ts";
import { intervalAround, resample, type ScoreRows } from "./bootstrap.ts";
import { comparisonsOf } from "./comparisons.ts";
import type { Evaluation } from "./evaluation-document.ts";
import type { TellProgress } from "./evaluation-progress.ts";
import { type LabelledRows, labelledRows } from "./labelled-rows.ts";
import { findLearned, hashesOfAsked, learnedWarnings } from "./learned-rows.ts";
import { named, type Scored, scoresOf } from "./scoring.ts";
import { slicesBy } from "./slices.ts";

export interface EvaluatedModel {
  readonly id: string;
  readonly model: Model;
  /** Of the rows that it learned; null or absent: it is not known which, or is told already. */
  readonly sketch?: RowSketch | null | undefined;
}

/** What is to be evaluated, and how. */
export interface EvaluationRequest {
  /** For people. */
  readonly name: string;
  /** The first is what the others are compared with. */
  readonly models: readonly EvaluatedModel[];
  /** By name or alias; absent: those that the first model's run reported, and the usual ones. */
  readonly metrics?: readonly string[] | undefined;
  /** Columns by whose values the rows are parted. */
  readonly slices?: readonly string[] | undefined;
  readonly randomState?: number | undefined;
  /** What the reader should know of the rows beforehand. */
  readonly warnings?: readonly string[] | undefined;
}

/** Classes that a warning names. */
const NAMED = 5;

/** The rows that are evaluated. */
interface Evaluated {
  /** One row a prediction. */
  readonly table: Table;
  readonly labels: LabelledRows;
  /** Of sequences: their steps in the table that was given; else null. */
  readonly steps: StepsOfRows | null;
}

interface ScoredModel extends Scored {
  readonly predictions: ModelPredictions;
}

/** The table of a file, with the labels as they are written. */
export async function readEvaluated(file: TableFile, labelColumn: string): Promise<Table> {
  if (file.format === "stored") return (await openStoredTable(file.path)).table;
  return (await readTableFromFile(file.path, { ...file, written: [labelColumn] })).table;
}

/**
 * How good models are on rows whose truth is known: scores with 95 % intervals from resampled rows, by slices, and against
 * the first of the models.
 *
 * @param table with the label, and the columns that the models read
 * @param tell told how far it is
 * @throws DataError where the table does not suit a model, or has no label that can be scored
 * @throws MetricError for a metric that is unknown, or fits another task
 */
export function evaluate(
  table: Table,
  { name, models, metrics: asked, slices = [], randomState = 0, warnings = [] }: EvaluationRequest,
  tell?: TellProgress,
): Evaluation {
  const { task, labelColumn } = commonTask(models.map(({ model }) => model));
  const metrics = metricsOf(task, models[0].model, asked);
  const evaluated = evaluatedRows(table, task, models[0].model, labelColumn);
  const parts = slices.map((column) => ({
    column,
    parts: slicesBy(findColumn(evaluated.table, column, "slices"), evaluated.labels.rows),
  }));
  const total = models.length * evaluated.table.rows;
  const scored = models.map(({ model }, m) =>
    scoredBy(model, table, evaluated, (count) =>
      tell?.({ stage: "predicting", done: m * evaluated.table.rows + count, total }),
    ),
  );
  const scorers = scored.map(
    (each): ScoreRows =>
      (rows) =>
        scoresOf(metrics, each, rows),
  );
  const all = Uint32Array.from(evaluated.labels.target, (_, place) => place);
  const whole = scorers.map((score) => score(all));
  const resampled = resample(all.length, scorers, randomState, undefined, (done, of) =>
    tell?.({ stage: "resampling", done, total: of }),
  );
  const { missing, unknown } = evaluated.labels;
  const coverages = models.map(({ model }, m) =>
    coverageOf(model, scored[m], evaluated.labels.rows),
  );
  return {
    format: "distillery-evaluation",
    version: 1,
    name,
    task: task.kind,
    label: labelColumn,
    classes: [...task.classes],
    rows: all.length,
    leftOut: { missingLabel: missing, unknownClass: Object.fromEntries(unknown) },
    metrics: metrics.map((metric) => ({ name: metric.name, direction: metric.direction })),
    models: models.map(({ id, model }, m) => ({
      id,
      scores: named(metrics, whole[m]),
      intervals: Object.fromEntries(
        metrics.map((metric, k) => [
          metric.name,
          intervalAround(whole[m][k], resampled.deviations[m][k]),
        ]),
      ),
      coverage: coverages[m],
      figures: predictionSections({
        task,
        predictions: scored[m].rows.predictions,
        target: scored[m].rows.target,
        weights: null,
        threshold: model.document.threshold ?? 0.5,
      }),
    })),
    slices: parts.flatMap(({ column, parts: own }) =>
      own.map(({ of, places }) => ({
        column,
        of,
        rows: places.length,
        scores: scorers.map((score) => named(metrics, score(places))),
      })),
    ),
    comparisons: comparisonsOf(
      models.map(({ id }) => id),
      metrics,
      whole,
      resampled,
    ),
    bootstrap: { resamples: resampled.resamples, rowsEach: resampled.rowsEach },
    warnings: [
      ...warnings,
      ...models.flatMap(({ id, model, sketch }) =>
        sketch
          ? learnedWarnings(
              findLearned(sketch, hashesOfAsked(model.document, sketch, { ...evaluated, table })),
              all.length,
              models.length > 1 ? id : null,
            )
          : [],
      ),
      ...leftOutWarnings(evaluated.labels, labelColumn),
      ...models.flatMap(({ id }, m) =>
        shortCoverage(coverages[m], all.length, models.length > 1 ? ` of ${shown(id)}` : ""),
      ),
      ...new Set(scored.flatMap(({ predictions }) => predictions.warnings)),
    ],
  };
}

/** @throws DataError where models predict different things */
function commonTask(models: readonly Model[]): { task: Task; labelColumn: string } {
  const [{ task, labelColumn }] = models.map(({ document }) => document);
  if (typeOf(task).framing?.kind === "series") {
    throw new DataError(
      "Forecasts are scored by the windows of their run, which its report shows: a dataset by itself does not say what was known when. Train with the later data to see how a forecast would have done on it.",
    );
  }
  for (const { document } of models) {
    const isSame =
      document.task.kind === task.kind &&
      document.task.classes.join("\n") === task.classes.join("\n") &&
      String(document.task.quantiles ?? "") === String(task.quantiles ?? "");
    if (isSame) continue;
    throw new DataError(
      `The models do not predict the same: ${told(task, labelColumn)} and ${told(document.task, document.labelColumn)}. Compare models of one kind of task and of equal classes.`,
    );
  }
  return { task, labelColumn };
}

const told = ({ kind, classes }: Task, label: string): string =>
  `${kind} of ${shown(label)}${classes.length > 0 ? ` with ${classes.length} classes` : ""}`;

function metricsOf(task: Task, model: Model, asked: readonly string[] | undefined): Metric[] {
  const names = asked ?? [
    ...model.document.card.metrics,
    ...typeOf(task).usualMetrics.map(({ name }) => name),
  ];
  const canonical = names.map((name) => metricForTask(name, task.kind).name);
  return [...new Set(canonical)].map((name) => metricOf(task, name));
}

/** Of sequences one row each, with the first value that each column has; else the table itself. */
function evaluatedRows(table: Table, task: Task, model: Model, labelColumn: string): Evaluated {
  const { framing } = typeOf(task);
  const label = findColumn(table, labelColumn, "label");
  if (!framing?.steps) {
    return { table, labels: labelledRows(table, task, labelColumn), steps: null };
  }
  const members = z.record(z.string(), z.unknown()).parse(model.document.card.config["task"]);
  const steps = framing.steps(table, members, null);
  const { rows, offsets } = steps;
  const labelled = Uint32Array.from({ length: offsets.length - 1 }, (_, sequence) => {
    const own = rows.subarray(offsets[sequence], offsets[sequence + 1]);
    return own.find((row) => !isMissingCell(label, row)) ?? own[0];
  });
  const names = table.columns.map(({ name }) => name);
  const written = table.written?.get(labelColumn);
  const sequences: Table = {
    ...takeRows(table, names, labelled),
    ...(written && {
      written: new Map([
        [
          labelColumn,
          { ...written, codes: Int32Array.from(labelled, (row) => written.codes[row]) },
        ],
      ]),
    }),
  };
  return { table: sequences, labels: labelledRows(sequences, task, labelColumn), steps };
}

function scoredBy(
  model: Model,
  table: Table,
  { labels }: Evaluated,
  onPredicted: (count: number) => void,
): ScoredModel {
  onPredicted(0);
  const predictions = model.predict(table, { onPredicted });
  const { values, outputs } = predictions;
  const { task } = model.document;
  const rows: ScoredRows = {
    target: labels.target,
    predictions: pickRowsOf(values, outputs, labels.rows),
    outputs,
    weights: null,
  };
  const decided =
    typeOf(task).decision === "threshold"
      ? {
          ...rows,
          predictions: Float64Array.from(pickRows(model.decide(predictions), labels.rows)),
        }
      : null;
  return { rows, decided, predictions };
}

const pickRows = (values: Uint32Array, rows: Uint32Array): Uint32Array =>
  rows.map((row) => values[row]);

type Coverage = Evaluation["models"][number]["coverage"];

/** Of intervals and sets, whose level is that of the run. */
function coverageOf(
  model: Model,
  { predictions, rows }: ScoredModel,
  picked: Uint32Array,
): Coverage {
  const { intervals, sets } = predictions;
  const { target } = rows;
  if (intervals?.bounds) {
    const { lower, upper } = intervals.bounds;
    let held = 0;
    let width = 0;
    for (const [i, row] of picked.entries()) {
      if (target[i] >= lower[row] && target[i] <= upper[row]) held++;
      width += upper[row] - lower[row];
    }
    return {
      nominal: intervals.level,
      measured: held / picked.length,
      meanSize: width / picked.length,
    };
  }
  if (!sets) return null;
  const { length: classes } = model.document.task.classes;
  let held = 0;
  let size = 0;
  for (const [i, row] of picked.entries()) {
    const members = sets.members.subarray(row * classes, (row + 1) * classes);
    held += members[target[i]];
    size += members.reduce((sum, is) => sum + is, 0);
  }
  return { nominal: sets.level, measured: held / picked.length, meanSize: size / picked.length };
}

/** Rows like those learned from would be held as often as was asked. */
function shortCoverage(coverage: Coverage, rows: number, of: string): string[] {
  if (coverage === null || !isShort(coverage.measured, coverage.nominal, rows)) return [];
  return [
    `The intervals or sets${of} hold ${percentOf(coverage.measured)} of the ${rows} rows, fewer than the ${percentOf(coverage.nominal)} asked for by more than chance explains: these rows are unlike those that the model learned from. Train again with rows like these.`,
  ];
}

function leftOutWarnings({ missing, unknown, rows }: LabelledRows, label: string): string[] {
  const warnings: string[] = [];
  if (missing > 0) {
    warnings.push(
      `The label ${shown(label)} is missing in ${missing} of ${missing + rows.length} rows; they are left out.`,
    );
  }
  if (unknown.size > 0) {
    const some = [...unknown].slice(0, NAMED).map(([name, count]) => `${shown(name)} (${count})`);
    warnings.push(
      `The model knows nothing of ${unknown.size === 1 ? "a class" : `${unknown.size} classes`} of ${shown(label)}: ${some.join(", ")}${unknown.size > NAMED ? ", …" : ""}. Their rows, in which it cannot be right, are left out of all scores.`,
    );
  }
  return warnings;
}
