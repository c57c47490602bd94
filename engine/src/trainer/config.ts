/** What a run is asked to do. Parsed once, at the edge; everything inside trusts the type. */

import { z } from "zod";
import { filterSchema } from "../data/filter/filter-schema.ts";
import { parameterSchema, parameterValueSchema } from "../search/index.ts";
import { TASK_KINDS } from "../tasks/task.ts";

export const MAX_TRIALS = 10_000;
export const MAX_FOLDS = 100;

const columnName = z.string().min(1);

export const taskConfigSchema = z.strictObject({
  taskKind: z.enum(TASK_KINDS),
  labelColumn: columnName,
  /** Non-negative weight of each row, in the fit and in the metrics. */
  weightColumn: columnName.nullish(),
  /** Rows of one group are never on both sides of a split. */
  groupColumn: columnName.nullish(),
  /** Splits are ordered by this column: a fold is validated on rows later than those it learns. */
  timeColumn: columnName.nullish(),
  ignoreColumns: z.array(columnName).default([]),
});

export const matrixRowSchema = z.strictObject({
  family: z.string(),
  /** Parameters to search, instead of those of the family's default space with equal names. */
  search: z.record(z.string(), parameterSchema).default({}),
  /** Parameters held at a value, and so taken out of the search. */
  fixed: z.record(z.string(), parameterValueSchema).default({}),
});

export const runConfigSchema = z.strictObject({
  task: taskConfigSchema,
  filter: filterSchema.nullish(),
  /** Null: the set follows the shape of the data, and the plan records why. */
  modelFamilies: z.array(z.string()).min(1).nullish(),
  hpoSpace: z.strictObject({ models: z.array(matrixRowSchema).min(1) }).nullish(),
  /** The first is optimised; all are reported. Null: the task's default metric. */
  metrics: z.array(z.string()).min(1).nullish(),
  searchStrategy: z.enum(["random", "tpe"]).default("tpe"),
  /** Trials of each row of the matrix. */
  nTrials: z.int().min(1).max(MAX_TRIALS).default(20),
  /** Trials of a row that are asked together and run in any order. */
  nTrialsPerStep: z.int().min(1).max(MAX_TRIALS).default(4),
  /** Null: one holdout split. */
  nCvSplits: z.int().min(2).max(MAX_FOLDS).nullable().default(5),
  ensemble: z.boolean().default(true),
  timeBudgetS: z.number().positive().nullish(),
  randomState: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  /** Refit bin edges inside each fold, so that not even feature quantiles cross it. */
  strictFolds: z.boolean().default(false),
  /** +1: the prediction must not fall as the column rises; -1: must not rise. */
  monotoneConstraints: z.record(columnName, z.union([z.literal(1), z.literal(-1)])).default({}),
});

export type RunConfig = z.output<typeof runConfigSchema>;
export type RunConfigInput = z.input<typeof runConfigSchema>;
