/**
 * What a kind of task is. Everything above knows only this: what it asks of a task, it asks of a
 * member here, and nothing outside `tasks/` names a kind (`docs/decisions/task-kinds.md`).
 *
 * What needs higher floors (calibration, conformal scores, sections of the report) is said here by
 * name, and done there by that name for whatever kind has it.
 */

import type { z } from "zod";
import type { CategoricalColumn, Column } from "../data/table.ts";
import type { Metric } from "../metrics/metric.ts";
import type { AnswerKey, Framing } from "./framing.ts";
import type { LabelRows } from "./labels/label-rows.ts";

/** A task as its own kind sees it. */
export interface TaskForm {
  readonly kind: string;
  /**
   * The labels in their order (numeric if all are numbers, else by code unit); the positive class of
   * two is the second. Empty where the label is a value.
   */
  readonly classes: readonly string[];
  /** Of a task that predicts several quantiles of a value: their levels in (0, 1), ascending. */
  readonly quantiles?: readonly number[] | undefined;
  /** Of forecasts: the share of values that a central interval is to hold, as metrics read it. */
  readonly coverage?: number | undefined;
}

/** What a label column was read as. */
export interface ReadTarget {
  readonly classes: readonly string[];
  /** One a row of the run: the value, or the index of the class. */
  readonly target: Float64Array;
  /** Rows of each class; empty where the label is a value. */
  readonly classCounts: readonly number[];
  /** Of classes that are written in several ways, and classes that look alike. */
  readonly warnings: readonly string[];
}

/** What families minimise; each says which of these it can. */
export type Loss = "squared_error" | "binary_log_loss" | "multinomial_log_loss" | "pinball";

/**
 * From a margin, which families add up, to an output:
 * - identity: the predicted value;
 * - logit: log-odds of the second class;
 * - log_softmax: one margin a class, softmax of which are the probabilities.
 */
export type Link = "identity" | "logit" | "log_softmax";

export type Calibrator = "temperature" | "isotonic";

/** What the report draws of out-of-fold predictions (`report/build/outcome.ts`). */
export type OutcomeSection =
  | "forecasts"
  | "sequences"
  | "residuals"
  | "quantiles"
  | "confusion"
  | "threshold_curves"
  | "reliability";

/** Rows whose best constant answers are asked for. */
export interface ConstantRows {
  /** One a row of the data. */
  readonly target: Float64Array;
  /** Likewise; null = all 1. */
  readonly weights: Float64Array | null;
}

/** An answer that looks at no column. */
export interface ConstantAnswer {
  /** What it says, for people, in front of a metric's score. */
  nameFor(metric: Metric): string;
  /** One number an output, from training rows. */
  of(train: Uint32Array): Float64Array;
}

/** What a model says of some rows. */
export interface ModelOutput {
  /** Row-major, rows × outputs. */
  readonly values: Float64Array;
  readonly outputs: number;
  /** Index of the class that is said, one a row; null where the label is a value. */
  readonly labels: Uint32Array | null;
  /** Around values; `bounds` null: too few rows to have any. */
  readonly intervals: {
    readonly bounds: { readonly lower: Float64Array; readonly upper: Float64Array } | null;
  } | null;
  /** Of forecasts: row-major, rows × levels; null: too few rows to have any. Absent for others. */
  readonly quantiles?: Float64Array | null;
  /** Row-major, rows × classes: 1 = the class is in the row's set. */
  readonly sets: { readonly members: Uint8Array } | null;
  /** Which each is of, where rows of the request are not answered one by one. */
  readonly keys?: readonly AnswerKey[] | null;
}

/** One prediction a row, in the shape of the API. */
export interface AnswerShape<Schema extends z.ZodType> {
  readonly schema: Schema;
  of(task: TaskForm, output: ModelOutput): z.infer<Schema>[];
}

export interface TaskType<Schema extends z.ZodType = z.ZodType> {
  readonly kind: string;
  /** For people, in front of "of <label>". */
  readonly title: string;
  /** What a row's target holds: a number, or the index of its class. */
  readonly target: "value" | "class";
  /** How many classes a label may have; null where it has none. */
  readonly classCount: { readonly least: number; readonly most: number } | null;
  /**
   * The request's members that are this kind's own, in camelCase; requests and configurations have
   * them in `task` (the API in snake_case). Each is optional, and refused for other kinds.
   */
  readonly fields: z.ZodRawShape;

  /** @throws DataError where the column does not suit the task */
  readLabel(column: Column, written: CategoricalColumn | undefined, rows: LabelRows): ReadTarget;
  /** What the request's own fields, and its `coverage`, make of the task. */
  traits(fields: Readonly<Record<string, unknown>>): Omit<TaskForm, "kind" | "classes">;
  /** How a table's rows become those of a run; null: each is one. */
  readonly framing: Framing | null;
  /** How rows are dealt to folds that neither groups nor times order. */
  readonly folds: "plain" | "stratified";
  /** Where a request names no number. */
  readonly defaultFolds: number;

  /**
   * Numbers a model predicts for one row: a value, the probability of the second class, one
   * probability a class. A predictions array is row-major, rows × outputs.
   */
  outputs(task: TaskForm): number;
  /** The same before the label is read; `distinct` counts its different cells. */
  outputsBefore(traits: Omit<TaskForm, "kind" | "classes">, distinct: () => number): number;
  /**
   * Place of the output that stands for all of them, which is explained; null where each stands for
   * itself.
   */
  central(task: TaskForm): number | null;
  readonly loss: Loss;
  readonly link: Link;
  /**
   * Predictions as this kind has them, from outputs that families' margins became: in place, or as
   * they are.
   */
  arrange(predictions: Float64Array, outputs: number): Float64Array;

  /** Those that say something of it; the first is optimised where a request names none. */
  readonly metrics: readonly Metric[];
  /** Those that people ask for, whether or not a run optimised them. */
  readonly usualMetrics: readonly Metric[];
  constants(task: TaskForm, rows: ConstantRows): readonly ConstantAnswer[];

  /** What its probabilities may be calibrated by. */
  readonly calibrators: readonly Calibrator[];
  /**
   * How at least half of a blend's weight is shared among the best trials of families: equally among those whose
   * loss is similar to that of the best of all, or by how likely the rows are by each. null: weights are as selected.
   */
  readonly familyShares: "similar_loss" | "likelihood" | null;
  /**
   * Rows up to which the members of a blend are fitted once more on all of them; beyond, they keep the fits of
   * their folds, unless these are in time. 0: they always do.
   */
  readonly refitsUpTo: number;
  /** Whether a stacking layer may be tried over members' margins. */
  readonly stacks: boolean;
  /** Why a student cannot learn it from a teacher's predictions, for people; null: it can. */
  readonly undistilled: string | null;
  /** From probabilities to a class: a threshold on the second one's, or the most probable. */
  readonly decision: "threshold" | "most_probable" | null;
  /** What a prediction comes with, made of conformal scores. */
  readonly conformal: "interval" | "set" | "forecast" | null;
  readonly sections: readonly OutcomeSection[];
  readonly answer: AnswerShape<Schema>;
}
