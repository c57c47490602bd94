/** All decisions before the first trial: rows, label, features, families, spaces and folds. */

import { deriveKey } from "../../compute/random.ts";
import { isMissingCell } from "../../data/coerce.ts";
import {
  type FeatureSchema,
  type SourceColumn,
  schemaFeatures,
} from "../../data/feature-schema.ts";
import { fitFeatureSchema } from "../../data/fit-feature-schema.ts";
import {
  areUnequal,
  type Frame,
  meanSteps,
  type SeriesFrame,
  takeSequences,
} from "../../data/frame.ts";
import type { Column, ColumnSchema, Table } from "../../data/table.ts";
import { uncleanColumns } from "../../data/unclean-columns.ts";
import { augmentedRowCount } from "../../distill/settings.ts";
import type { DataShape, SeriesShape } from "../../families/family.ts";
import type { SeriesRows } from "../../metrics/metric.ts";
import { LEAST_PERIODS } from "../../series/harmonics/harmonic-model.ts";
import {
  defaultMetric,
  metricByName,
  metricForTask,
  metricOf,
} from "../../tasks/fitting-metrics.ts";
import type { SavedFrame } from "../../tasks/framing.ts";
import { type Task, taskType } from "../../tasks/index.ts";
import type { Fold } from "../../validation/index.ts";
import { MAX_TRIALS, type RunConfig } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { type MonotoneFeatures, monotoneFeatures } from "../config/monotone-features.ts";
import { checkPositiveClass, positiveClassWarnings } from "../config/positive-class.ts";
import { DEFAULT_TRIALS, presetOf } from "../config/presets.ts";
import { LOG_VERSION, type RunPlan } from "../log/events.ts";
import { checkClassWeight } from "./class-weights.ts";
import { findLeakage, notSaidAgain } from "./leakage/warnings.ts";
import { sketchOfRun } from "./learned-rows.ts";
import { buildMatrix, checkTrialsAsked } from "./matrix.ts";
import { medianMetricWarnings, seeksMedians } from "./median-metrics.ts";
import { describeSplitter, foldCount, foldsOf } from "./plan-folds.ts";
import { planRows } from "./plan-rows.ts";
import { checkScorable } from "./scorable-labels.ts";
import { sizeWarnings } from "./size-warnings.ts";
import { planSweep } from "./sweep-plan.ts";
import { unreadColumns } from "./unread-columns.ts";
import { checkWeighedFolds } from "./weighed-folds.ts";

export interface PlannedTable {
  readonly plan: RunPlan;
  readonly task: Task;
  readonly schema: FeatureSchema;
  /** Rows of the table, ascending; null = all. */
  readonly rows: Uint32Array | null;
  readonly framing: PlannedFraming | null;
  /** Of the selected rows, as is everything below. */
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  /** Which rows belong together, by number; null: each is for itself. */
  readonly groups: Uint32Array | null;
  readonly folds: readonly Fold[];
  readonly monotone: MonotoneFeatures;
  /** See `learned-rows.ts`; null where there is none. */
  readonly rowSketch: Uint8Array | null;
}

export interface Planned extends PlannedTable {
  /** That holds the rows: the one that was given, or what framing made of it. */
  readonly table: Table;
}

/** Of kinds whose rows are made of several of the given table's. */
export interface PlannedFraming {
  /** Of the selected rows. */
  readonly frame: Frame;
  readonly saved: SavedFrame;
  /** Of forecasts. */
  readonly series: SeriesRows | null;
}

/** @throws DataError, ConfigError */
export function planTable(
  given: Table,
  config: RunConfig,
  readWarnings: readonly string[],
): Planned {
  const { taskKind, labelColumn, weightColumn, groupColumn } = config.task;
  const type = taskType(taskKind);
  if (config.distill && type.undistilled !== null) {
    throw new ConfigError(
      ["distill"],
      `${type.title} cannot be learned from a teacher's predictions: ${type.undistilled}.`,
    );
  }
  const metrics = checkMetrics(config);
  const sweep = planSweep(config, metrics);
  const planned = planRows(given, config);
  const { framed, table, task, rows, target, weights, time } = planned;
  const { rolling } = framed ?? {};
  checkClassWeight(config, task);
  checkPositiveClass(config, task);

  // The time column stays a feature by its calendar parts; a group's id says nothing of new groups.
  const exclude = new Set([labelColumn, ...(framed ? [] : config.task.ignoreColumns)]);
  for (const name of [weightColumn, groupColumn]) if (name) exclude.add(name);
  const ofFeatures: ColumnSchema[] = [];
  const schema = fitFeatureSchema(table, {
    exclude: [...exclude],
    rows,
    mayBeEmpty: framed !== null,
    onKept(column) {
      const { name, kind } = column;
      ofFeatures.push({ name, kind, nullable: hasMissing(column, rows ?? table.rows) });
    },
  });
  const unclean = uncleanColumns(
    table.columns.filter(({ name }) => !exclude.has(name)),
    rows,
  );
  const { distill } = config;
  const ofEach = framed?.frame.kind === "sequences" ? meanSteps(framed.frame) : 1;
  const shape: DataShape = {
    rows: target.length + (distill ? augmentedRowCount(distill, target.length, ofEach) : 0),
    ...(distill ? { student: true } : {}),
    task,
    ...(seeksMedians(task, metrics[0]) && !distill ? { seeksMedians: true } : {}),
    features: schemaFeatures(schema.columns),
    ...(framed?.frame.kind === "series"
      ? { series: shapeOfSeries(framed.frame, rolling?.folds ?? []) }
      : {}),
    ...(framed?.frame.kind === "sequences"
      ? {
          sequences: {
            channels: framed.frame.channels,
            steps: meanSteps(framed.frame),
            ...(areUnequal(framed.frame) ? { isUnequal: true } : {}),
          },
        }
      : {}),
  };
  const nSplits = foldCount(config, { task, target, columns: shape.features.length });
  const folds =
    rolling?.folds ??
    foldsOf({
      task,
      target,
      groups: planned.groups,
      time,
      nSplits,
      key: deriveKey(config.randomState, "folds"),
    });
  if (weightColumn && weights && !rolling) {
    checkWeighedFolds({ table, weightColumn, weights, folds });
  }
  checkScoredRows(task, metrics, folds);
  const scorable = checkScorable({
    table,
    labelColumn,
    task,
    metrics,
    rows,
    target,
    weights,
    series: rolling?.series ?? null,
    folds,
  });
  const matrix = buildMatrix(config, shape);
  checkTrialsAsked(config, matrix.rows);
  // What is forecast comes after what is learned from, whatever the columns say.
  const leakage = rolling
    ? null
    : findLeakage({
        table,
        config,
        task,
        schema,
        // Rows are made of others, which their features alone do not tell apart.
        mayRepeat: framed !== null,
        unclean: new Set(unclean.map(({ column }) => column)),
        rows,
        target,
        weights,
        groups: planned.groups,
        time,
        folds,
        ...(framed?.frame.kind === "sequences" && { sequences: framed.frame }),
      });
  const { timeBudgetS, trialsAllowed } = config;
  const plan: RunPlan = {
    logVersion: LOG_VERSION,
    task,
    rows: target.length,
    columns: [
      ...ofFeatures,
      ...(framed ? framedColumns(given, type.framing?.inputs(framed.saved) ?? []) : []).filter(
        ({ name }) => !ofFeatures.some((column) => column.name === name),
      ),
    ],
    features: shape.features.length,
    matrix: matrix.rows,
    leftOut: matrix.leftOut,
    metrics,
    folds: folds.length,
    splitter: rolling?.splitter ?? describeSplitter(config, nSplits),
    ...planTrials(config, matrix.rows),
    warnings: [
      ...notSaidAgain(readWarnings, schema, leakage?.warnings ?? []),
      ...planned.warnings,
      ...unclean.map(({ message }) => message),
      ...(rolling
        ? unreadColumns(rolling.columns, { matrix: matrix.rows, leftOut: matrix.leftOut })
        : []),
      ...schema.notes,
      ...sizeWarnings({
        task,
        target,
        features: shape.features.length,
        scored: folds.reduce((sum, { valid }) => sum + scoredOf(valid, rolling?.observed), 0),
        called: table.origins?.called,
      }),
      ...positiveClassWarnings(config, task, metrics, target),
      ...medianMetricWarnings({ task, metric: metrics[0], target, observed: rolling?.observed }),
      ...scorable,
      ...(leakage?.warnings ?? []),
    ],
    ...(sweep ? { sweep } : {}),
    ...(planned.sampledFrom === null ? {} : { sampledFrom: planned.sampledFrom }),
    ...(timeBudgetS != null && trialsAllowed == null ? { timeBudgetS } : {}),
  };
  const monotone = monotoneFeatures(config, shape, table);
  const framing = framed && {
    frame: framedRows(framed.frame, rows),
    saved: framed.saved,
    series: rolling?.series ?? null,
  };
  return {
    plan,
    task,
    schema,
    table,
    rows,
    framing: framing ?? null,
    target,
    weights,
    groups: planned.groups && Uint32Array.from(planned.groups),
    folds,
    monotone,
    rowSketch: sketchOfRun({
      config,
      task,
      told: leakage?.rows ?? null,
      table: given,
      filtered: planned.filtered,
      columns: plan.columns,
      rows,
      target,
    }),
  };
}

/** How many trials there are, of all rows of the matrix and in each step. */
function planTrials(
  config: RunConfig,
  matrix: RunPlan["matrix"],
): Pick<RunPlan, "trials" | "trialsPerRow" | "trialsPerStep" | "steps" | "isOpen"> {
  const { timeBudgetS, trialsAllowed, preset } = config;
  const { trials: usual = DEFAULT_TRIALS } = presetOf(preset);
  // What is to be fast ends early, whatever time there is.
  const wanted = config.nTrials ?? (preset === "fast" ? usual : null);
  const isOpen = wanted === null && (timeBudgetS != null || trialsAllowed != null);
  const perRow = wanted ?? (isOpen ? MAX_TRIALS : usual);
  const perStep = Math.min(config.nTrialsPerStep, perRow);
  const byRow = matrix.map(({ points }) => Math.min(perRow, points ?? perRow));
  const isUneven = byRow.some((trials) => trials < perRow);
  return {
    trials: byRow.reduce((sum, trials) => sum + trials, 0),
    ...(isUneven ? { trialsPerRow: perRow } : {}),
    trialsPerStep: perStep,
    steps: Math.ceil(Math.max(...byRow) / perStep),
    ...(isOpen ? { isOpen } : {}),
  };
}

/** Steps without a value are forecast and not scored. */
const scoredOf = (valid: Uint32Array, observed: Uint8Array | undefined): number =>
  observed === undefined ? valid.length : valid.reduce((count, row) => count + observed[row], 0);

function shapeOfSeries(
  { offsets, target, horizon, seasons, year, time, known: ahead, past }: SeriesFrame,
  folds: readonly Fold[],
): SeriesShape {
  const lengths = [...offsets.subarray(1)].map((end, s) => end - offsets[s]);
  let [zeros, known] = [0, 0];
  for (const value of target) {
    if (Number.isNaN(value)) continue;
    known++;
    if (value === 0) zeros++;
  }
  const steps = lengths.sort((one, other) => one - other)[lengths.length >> 1];
  const earliest = folds.length > 0 ? earliestOf(offsets, folds) : null;
  const learned = Math.min(steps, earliest?.longest ?? steps);
  return {
    count: lengths.length,
    steps,
    ...(earliest ? { earliest } : {}),
    horizon,
    seasons,
    ...(year !== undefined && learned >= LEAST_PERIODS * year ? { year } : {}),
    ...(time?.isLong ? { isLong: true } : {}),
    zeros: zeros / Math.max(1, known),
    ...(ahead ? { known: ahead.length } : {}),
    ...(past ? { past: past.length } : {}),
  };
}

/** Of the fold with the fewest rows to learn from. */
function earliestOf(
  offsets: Uint32Array,
  folds: readonly Fold[],
): NonNullable<SeriesShape["earliest"]> {
  const { train } = folds.reduce((least, fold) =>
    fold.train.length < least.train.length ? fold : least,
  );
  const learned = new Map<number, number>();
  let series = 0;
  for (const row of train) {
    while (row >= offsets[series + 1]) series++;
    learned.set(series, (learned.get(series) ?? 0) + 1);
  }
  let longest = 0;
  for (const steps of learned.values()) longest = Math.max(longest, steps);
  return { longest, withPast: train.length - learned.size };
}

function framedRows(frame: Frame, rows: Uint32Array | null): Frame {
  return rows === null || frame.kind === "series" ? frame : takeSequences(frame, rows);
}

/** What is read of the given table beside the columns of features. */
function framedColumns(given: Table, inputs: readonly SourceColumn[]): ColumnSchema[] {
  return inputs.flatMap(({ name }) => {
    const column = given.columns.find((each) => each.name === name);
    return column ? [{ name, kind: column.kind, nullable: hasMissing(column, given.rows) }] : [];
  });
}

function checkMetrics(config: RunConfig): readonly string[] {
  const { taskKind } = config.task;
  if (!config.metrics) return [defaultMetric(taskKind).name];
  const names = config.metrics.map((name, index) => {
    try {
      return metricForTask(name, taskKind).name;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new ConfigError(["metrics", index], error.message, error);
    }
  });
  const weighed = config.gridSize == null ? names.slice(0, 1) : names;
  for (const [index, name] of weighed.entries()) {
    const { optimizedBy } = metricByName(name);
    if (optimizedBy === undefined) continue;
    throw new ConfigError(
      ["metrics", index],
      `${name} is best neither low nor high, so it cannot be optimised: name ${optimizedBy} in its place, or put ${name} behind the metric to optimise, where it is told beside it.`,
    );
  }
  const again = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (again < 0) return names;
  throw new ConfigError(["metrics", again], `The metric '${names[again]}' is named twice.`);
}

/** @throws ConfigError where a fold has too few rows for a metric to say anything of them */
function checkScoredRows(task: Task, metrics: readonly string[], folds: readonly Fold[]): void {
  const fewest = Math.min(...folds.map(({ valid }) => valid.length));
  for (const [index, name] of metrics.entries()) {
    const { leastRows = 1 } = metricOf(task, name);
    if (fewest >= leastRows) continue;
    throw new ConfigError(
      ["metrics", index],
      `${name} is of intervals that are made of other forecasts, and a window has ${fewest} alone: take a longer horizon or more series, or another metric.`,
    );
  }
}

function hasMissing(column: Column, rows: Uint32Array | number): boolean {
  const count = typeof rows === "number" ? rows : rows.length;
  if (column.kind === "numeric" || column.kind === "timestamp") {
    const { values } = column;
    for (let i = 0; i < count; i++) {
      if (Number.isNaN(values[typeof rows === "number" ? i : rows[i]])) return true;
    }
    return false;
  }
  for (let i = 0; i < count; i++) {
    if (isMissingCell(column, typeof rows === "number" ? i : rows[i])) return true;
  }
  return false;
}
