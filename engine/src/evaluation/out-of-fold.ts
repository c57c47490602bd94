/**
 * Two models of one table on the rows that both have out-of-fold predictions of: neither had learned from
 * them when it predicted them, so no rows need to be kept apart. What is compared are the models' members
 * as they were fitted within the folds.
 */

import { DataError } from "../data/table.ts";
import { type Metric, pickRowsOf } from "../metrics/metric.ts";
import { metricForTask, metricOf } from "../tasks/fitting-metrics.ts";
import { outputCount, type Task, typeOf } from "../tasks/index.ts";
import { unpackLabels, unpackPredictions } from "../trainer/pool-tasks/fold-artifact.ts";
import { type HeldOutRows, unpackHeldOutRows } from "../trainer/pool-tasks/held-out-rows.ts";
import { resample } from "./bootstrap.ts";
import { comparisonsOf } from "./comparisons.ts";
import type { Evaluation } from "./evaluation-document.ts";
import { named, type Scored, scoresOf } from "./scoring.ts";

/** Rows of each resample: somebody waits for the answer. */
const MOST_DRAWN = 2_000;

/** A model's out-of-fold predictions, as its run keeps them. */
export interface HeldOutPredictions {
  readonly id: string;
  readonly rows: HeldOutRows;
  /** Row-major over the rows. */
  readonly predictions: Float64Array;
  /** Of two classes: the labels, 0 or 1, by a threshold tuned without the row; else null. */
  readonly labels: Float64Array | null;
}

/**
 * A model's out-of-fold predictions, from the artifacts of its run.
 *
 * @param rows the artifact `HELD_OUT_ROWS` of the run
 * @param selection the artifact of the model (see `selectionArtifact`)
 * @throws Error where one is damaged
 */
export function readHeldOut(
  id: string,
  rows: Uint8Array,
  selection: Uint8Array,
): HeldOutPredictions {
  return {
    id,
    rows: unpackHeldOutRows(rows),
    predictions: unpackPredictions(selection, id),
    labels: unpackLabels(selection, id),
  };
}

/** What two models of one table are compared by. */
export interface OutOfFoldRequest {
  /** Of both. */
  readonly task: Task;
  /** By name or alias; absent: the usual ones of the task. */
  readonly metrics?: readonly string[] | undefined;
  /** The second is compared with the first. */
  readonly models: readonly [HeldOutPredictions, HeldOutPredictions];
  readonly randomState?: number | undefined;
}

/** How two models did on the same held-out rows. */
export interface OutOfFoldComparison
  extends Pick<Evaluation, "comparisons" | "bootstrap" | "metrics"> {
  /** That both predicted. */
  readonly rows: number;
  /** That each of them predicted. */
  readonly rowsOf: readonly [number, number];
  /** Whether each row was held out together with the same others in both runs. */
  readonly sameFolds: boolean;
  /** Of each model; null where one is undefined. */
  readonly scores: readonly [Evaluation["models"][0]["scores"], Evaluation["models"][0]["scores"]];
}

/**
 * Compares two models of one table on the rows that both have out-of-fold predictions of.
 *
 * @throws DataError where they predicted no row in common, or what is true of a row differs
 * @throws MetricError for a metric that is unknown, or fits another task
 */
export function compareOutOfFold({
  task,
  metrics: asked = [],
  models,
  randomState = 0,
}: OutOfFoldRequest): OutOfFoldComparison {
  if (typeOf(task).framing?.kind === "series") {
    throw new DataError(
      "Forecasts are scored by the windows of their runs, whose reports show them; models of two runs are not compared step by step.",
    );
  }
  const metrics = metricsOf(task, asked);
  const [one, other] = models;
  const places = commonPlaces(one.rows, other.rows);
  const count = places[0].length;
  if (count === 0) {
    throw new DataError(
      "The two runs held out no row in common, so there is nothing to compare them on. Let both hold out all rows in turn, by 2 folds or more.",
    );
  }
  const scored = [pickedBy(one, places[0], task), pickedBy(other, places[1], task)] as const;
  assertSameTruth(scored);
  const all = Uint32Array.from({ length: count }, (_, place) => place);
  const whole = [scoresOf(metrics, scored[0], all), scoresOf(metrics, scored[1], all)] as const;
  const resampled = resample(
    count,
    scored.map((each) => (rows) => scoresOf(metrics, each, rows)),
    randomState,
    MOST_DRAWN,
  );
  return {
    rows: count,
    rowsOf: [one.rows.rows.length, other.rows.rows.length],
    sameFolds: haveSameFolds(one.rows, other.rows, places),
    metrics: metrics.map(({ name, direction }) => ({ name, direction })),
    scores: [named(metrics, whole[0]), named(metrics, whole[1])],
    comparisons: comparisonsOf([one.id, other.id], metrics, whole, resampled),
    bootstrap: { resamples: resampled.resamples, rowsEach: resampled.rowsEach },
  };
}

function metricsOf(task: Task, asked: readonly string[]): Metric[] {
  const names = [...asked, ...typeOf(task).usualMetrics.map(({ name }) => name)];
  const canonical = new Set(names.map((name) => metricForTask(name, task.kind).name));
  return [...canonical].map((name) => metricOf(task, name));
}

type Places = readonly [one: Uint32Array, other: Uint32Array];

/** Of the rows that both have, in the order of the first, their places in each. */
function commonPlaces(one: HeldOutRows, other: HeldOutRows): Places {
  const placeOf = new Map<number, number>();
  for (const [place, row] of other.rows.entries()) placeOf.set(row, place);
  const first: number[] = [];
  const second: number[] = [];
  for (const [place, row] of one.rows.entries()) {
    const theirs = placeOf.get(row);
    if (theirs === undefined) continue;
    first.push(place);
    second.push(theirs);
  }
  return [Uint32Array.from(first), Uint32Array.from(second)];
}

function pickedBy(model: HeldOutPredictions, places: Uint32Array, task: Task): Scored {
  const outputs = outputCount(task);
  const { target, weights } = model.rows;
  const rows = {
    target: pickRowsOf(target, 1, places),
    predictions: pickRowsOf(model.predictions, outputs, places),
    outputs,
    weights: weights && pickRowsOf(weights, 1, places),
  };
  const { labels } = model;
  return {
    rows,
    decided: labels && { ...rows, predictions: pickRowsOf(labels, 1, places) },
  };
}

function assertSameTruth([one, other]: readonly [Scored, Scored]): void {
  if (!one.rows.target.every((value, i) => value === other.rows.target[i])) {
    throw new DataError(
      "What is to be predicted of some rows differs between the two runs, as where one has merged rare classes.",
    );
  }
  const weights = (scored: Scored, i: number): number => scored.rows.weights?.[i] ?? 1;
  if (!one.rows.target.every((_, i) => weights(one, i) === weights(other, i))) {
    throw new DataError(
      "The two runs weigh rows differently, so their scores are not of one kind.",
    );
  }
}

/** Folds may have other numbers. */
function haveSameFolds(one: HeldOutRows, other: HeldOutRows, [own, theirs]: Places): boolean {
  if (one.rows.length !== other.rows.length || own.length !== one.rows.length) return false;
  const pairs = new Map<number, number>();
  const back = new Map<number, number>();
  return own.every((place, i) => {
    const [a, b] = [one.fold[place], other.fold[theirs[i]]];
    const isSame = (pairs.get(a) ?? b) === b && (back.get(b) ?? a) === a;
    pairs.set(a, b);
    back.set(b, a);
    return isSame;
  });
}
