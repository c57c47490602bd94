/** The tasks that workers run for the trainer. Each is a pure function of its input. */

import { type CrewDesk, helpedSeconds, waitedSeconds } from "../../compute/crew-desk.ts";
import type { Lane } from "../../compute/gpu/lane.ts";
import { deriveKey } from "../../compute/random.ts";
import { rowNumbers, valuesAt } from "../../compute/row-lists.ts";
import { scratchPeak } from "../../compute/scratch.ts";
import type { Family, FittedModel } from "../../families/family.ts";
import { type FitBounds, FitLimits } from "../../families/fit-limits.ts";
import { familyById } from "../../families/index.ts";
import type { LearningCurve } from "../../families/learning-curve.ts";
import { pickSeries } from "../../metrics/metric.ts";
import { packModel } from "../../model/packed.ts";
import type { Parameters } from "../../search/space.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import { outputCount } from "../../tasks/index.ts";
import { contentionSince, threadTime } from "../clock/contention.ts";
import type { Facts, FitCut, Scores } from "../log/events.ts";
import { dataOfFold, type PreparedRun } from "../plan/prepared.ts";

export interface FitFoldInput {
  readonly run: PreparedRun;
  readonly family: string;
  readonly parameters: Parameters;
  readonly trial: number;
  readonly fold: number;
  readonly randomState: number;
  /** Training rows at most, evenly spaced among the fold's; absent: all. */
  readonly rows?: number;
  readonly bounds: FitBounds;
  /** Where other threads help; absent: none do. */
  readonly crew?: CrewDesk;
  /** The way to a device that takes part; absent: none does. */
  readonly device?: Lane;
  /** The package of TensorFlow.js that trains networks; absent: none does. */
  readonly tensorflow?: string;
}

/** A fit that was stopped before it had begun to learn is tried again on so much of its rows. */
const FEWER_ROWS = 1 / 4;
/** So few are learned from whatever the time. */
export const LEAST_ROWS = 500;
/** A fit is not held to fewer: what they teach is not worth the time that it saves. */
const LEAST_HELD_ROWS = 100;

/** What a fit is held to that was stopped with so many rows. */
export function fewerRows(rows: number): number {
  return Math.max(Math.min(rows, LEAST_HELD_ROWS), Math.ceil(rows * FEWER_ROWS));
}

export interface FitFoldOutput {
  readonly scores: Scores;
  readonly facts: Facts;
  /** Of work: also that of threads that helped. */
  readonly seconds: number;
  /** Of `seconds`. */
  readonly predictSeconds: number;
  readonly scoreSeconds: number;
  /** What the fit held at most: its scratch in the arena, its model and its predictions. */
  readonly bytes: number;
  /** Of it, the packed model's. */
  readonly modelBytes: number;
  /** Row-major over the fold's validation rows. */
  readonly predictions: Float64Array;
  readonly curve: LearningCurve | null;
  /** See `model/packed.ts`. */
  readonly model: Uint8Array;
  /** See `contention.ts`. */
  readonly contention: number;
  /** Null where the fit ended by its own rules. */
  readonly cut: FitCut | null;
  /** Rounds, trees or solver steps. */
  readonly iterations: number;
}

/** Fits one trial on one fold and scores it on the fold's validation rows. */
export function fitFold(input: FitFoldInput): FitFoldOutput {
  const { run, fold } = input;
  const started = performance.now();
  const begun = threadTime();
  const { train, valid } = run.folds[fold];
  const data = dataOfFold(run, fold);
  const family = mustFind(input.family);
  const limits = new FitLimits(input.bounds, started, () => threadTime().processor);
  const context = {
    task: run.task,
    data,
    limits,
    target: run.fitTarget,
    softTarget: run.softTarget,
    weights: run.fitWeights,
    trainRows: spacedRows(train, input.rows),
    validRows: valid,
    key: deriveKey(input.randomState, "fit", input.trial, fold),
    monotone: run.monotone,
    ...(input.crew ? { crew: input.crew } : {}),
    ...(input.device ? { device: input.device } : {}),
    ...(input.tensorflow ? { tensorflow: input.tensorflow } : {}),
  };
  const { value: model, bytes } = scratchPeak(() => family.fit(context, input.parameters));
  const fitted = performance.now();
  const predictions = model.predictHeldOut?.() ?? model.predict(data, valid);
  requireFinite(predictions);
  const predicted = performance.now();
  const scores = scoreRows(run, predictions, valid);
  const scored = performance.now();
  const packed = packModel(model.save());
  return {
    scores,
    facts: model.facts,
    seconds: (performance.now() - started) / 1000 + secondsOfHelp(input),
    predictSeconds: (predicted - fitted) / 1000,
    scoreSeconds: (scored - predicted) / 1000,
    bytes: bytes + packed.length + predictions.byteLength,
    modelBytes: packed.length,
    predictions,
    curve: model.curve ?? null,
    model: packed,
    contention: contentionSince(begun, input.crew ? waitedSeconds(input.crew) : 0),
    cut: cutOf(limits, train.length, input.rows),
    iterations: limits.iterations,
  };
}

function secondsOfHelp({ crew }: Pick<FitFoldInput, "crew">): number {
  return crew ? helpedSeconds(crew) : 0;
}

function cutOf({ cutAt }: FitLimits, all: number, rows: number | undefined): FitCut | null {
  const held = rows !== undefined && rows < all;
  if (cutAt === null && !held) return null;
  return { ...(cutAt === null ? {} : { iterations: cutAt }), ...(held ? { rows } : {}) };
}

function spacedRows(rows: Uint32Array, most: number | undefined): Uint32Array {
  if (most === undefined || most >= rows.length) return rows;
  return Uint32Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)]);
}

export interface RefitInput {
  readonly run: PreparedRun;
  readonly family: string;
  readonly parameters: Parameters;
  readonly trial: number;
  readonly foldFacts: readonly FittedModel["facts"][];
  readonly randomState: number;
  /** Rows at most, evenly spaced; absent: all. */
  readonly rows?: number;
  readonly bounds: FitBounds;
  /** As of a fold. */
  readonly crew?: CrewDesk;
  readonly device?: Lane;
  readonly tensorflow?: string;
}

export interface RefitOutput {
  readonly facts: Facts;
  /** As of a fold. */
  readonly seconds: number;
  readonly model: Uint8Array;
  readonly cut: FitCut | null;
}

/** Fits the winner on all rows, augmented ones too, with what its folds learned about when to stop. */
export function refit(input: RefitInput): RefitOutput {
  const { run } = input;
  const started = performance.now();
  const family = mustFind(input.family);
  const limits = new FitLimits(input.bounds, started);
  const all = rowNumbers(run.data.rows);
  const model = family.fit(
    {
      task: run.task,
      data: run.data,
      target: run.fitTarget,
      softTarget: run.softTarget,
      weights: run.fitWeights,
      trainRows: spacedRows(all, input.rows),
      validRows: null,
      limits,
      key: deriveKey(input.randomState, "refit", input.trial),
      monotone: run.monotone,
      ...(input.crew ? { crew: input.crew } : {}),
      ...(input.device ? { device: input.device } : {}),
      ...(input.tensorflow ? { tensorflow: input.tensorflow } : {}),
    },
    family.refitParameters(input.parameters, input.foldFacts),
  );
  return {
    facts: model.facts,
    seconds: (performance.now() - started) / 1000 + secondsOfHelp(input),
    model: packModel(model.save()),
    cut: cutOf(limits, all.length, input.rows),
  };
}

/** All metrics of the plan for predictions of the given rows. */
export function scoreRows(
  run: PreparedRun,
  predictions: Float64Array,
  rows: Uint32Array,
  metrics: readonly string[] = run.plan.metrics,
): Scores {
  const target = valuesAt(run.target, rows);
  const weights = run.weights && valuesAt(run.weights, rows);
  const series = run.series && pickSeries(run.series, rows);
  const scores: Record<string, number | null> = {};
  for (const name of metrics) {
    const score = metricOf(run.task, name).score({
      target,
      predictions,
      outputs: outputCount(run.task),
      weights,
      series,
    });
    scores[name] = Number.isFinite(score) ? score : null;
  }
  return scores;
}

function mustFind(id: string): Family {
  const family = familyById(id);
  if (!family) throw new Error(`There is no model family ${id}.`);
  return family;
}

/** A diverged fit must fail its trial, not poison an ensemble. */
function requireFinite(predictions: Float64Array): void {
  for (let i = 0; i < predictions.length; i++) {
    if (!Number.isFinite(predictions[i])) {
      throw new Error(
        `The fit diverged: prediction ${i} of the validation rows is ${predictions[i]}.`,
      );
    }
  }
}
