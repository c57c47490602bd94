/** What a run is asked to do. Parsed once, at the edge; everything inside trusts the type. */

import { z } from "zod";
import { DEVICES } from "../../compute/gpu/device-settings.ts";
import { coverageSchema } from "../../conformal/index.ts";
import { filterSchema } from "../../data/filter/filter-schema.ts";
import { distillSchema } from "../../distill/settings.ts";
import { parameterSchema, parameterValueSchema, START_UPS } from "../../search/index.ts";
import { clashOfRoles, columnRoles } from "../../tasks/column-roles.ts";
import {
  fieldOfAnotherKind,
  missingField,
  TASK_FIELDS,
  TASK_KINDS,
  taskType,
} from "../../tasks/index.ts";
import { MISSING_LABELS, RARE_CLASSES } from "../../tasks/labelled-rows.ts";
import { PRESETS, presetOf } from "./presets.ts";

/** Of one run, at most. */
export const MAX_TRIALS = 10_000;
/** Of one run, at most. */
const MAX_FOLDS = 100;
/** Earlier runs that one run can go on from, at most. */
export const MAX_PRIOR_RUNS = 20;
/** Divisions of the simplex; more points than trials could tell apart. */
const MAX_GRID_SIZE = 1000;
/** Of one earlier run. */
export const MAX_PRIOR_TRIALS = 1000;

const columnName = z.string().min(1);

/** The shape of a run's task. */
export const taskConfigSchema = z
  .strictObject({
    taskKind: z.enum(TASK_KINDS),
    labelColumn: columnName,
    /** Non-negative weight of each row, in the fit and in the metrics. */
    weightColumn: columnName.nullish(),
    /** Rows of one group are never on both sides of a split. */
    groupColumn: columnName.nullish(),
    /** Splits are ordered by this column: a fold is validated on rows later than those it learns. */
    timeColumn: columnName.nullish(),
    ignoreColumns: z.array(columnName).default([]),
    ...TASK_FIELDS,
  })
  .superRefine((task, context) => {
    const missing = missingField(task.taskKind, task);
    if (missing !== null) {
      context.addIssue({ code: "custom", path: [missing], message: `${task.taskKind} needs it` });
    }
    const clash = clashOfRoles(columnRoles(task));
    if (clash !== null) {
      context.addIssue({ code: "custom", path: [...clash.role.path], message: clash.message });
    }
    const stray = fieldOfAnotherKind(task.taskKind, task);
    if (stray === null) return;
    context.addIssue({
      code: "custom",
      path: [stray.field],
      message: `only ${stray.kinds.join(" and ")} ${stray.kinds.length === 1 ? "has" : "have"} it, not ${task.taskKind}`,
    });
  });

/** One row of the search: a family with the parameters that are searched and those that are set. */
export const matrixRowSchema = z.strictObject({
  family: z.string(),
  /** Parameters to search, instead of those of the family's default space with equal names. */
  search: z.record(z.string(), parameterSchema).default({}),
  /** Parameters held at a value, and so taken out of the search. */
  fixed: z.record(z.string(), parameterValueSchema).default({}),
});

/** A finished trial of an earlier run: what the search may learn from without running it again. */
const priorTrialSchema = z.strictObject({
  family: z.string(),
  /** All of them, searched and fixed. */
  parameters: z.record(z.string(), parameterValueSchema),
  /** By metric; null where it was undefined. */
  scores: z.record(z.string(), z.number().nullable()),
});

/** Trials of one earlier run, recorded as data, so that a rerun needs nothing but its config. */
const priorRunSchema = z.strictObject({
  /** Where they come from, for the people who read the card. */
  source: z.string().min(1),
  /** Whether its scores are of the same rows and label as this run's; else only their order counts. */
  comparable: z.boolean(),
  trials: z.array(priorTrialSchema).max(MAX_PRIOR_TRIALS),
});

const classWeightSchema = z.union([
  z.literal("balanced"),
  z.record(z.string(), z.number().nonnegative()),
]);

const fitCutSchema = z.strictObject({
  trial: z.int().min(0),
  fold: z.int().min(0),
  /** Boosting rounds, trees, or steps of a solver. */
  iterations: z.int().min(1).optional(),
  rows: z.int().min(1).optional(),
});

const importanceCutSchema = z.strictObject({
  model: z.int().min(0),
  rows: z.int().min(1),
  /** Columns that are shuffled, those that the fits rely on most. */
  columns: z.int().min(0),
});

/** The members by themselves; a run's config is parsed by `runConfigSchema`. */
export const runConfigMembers = z.strictObject({
  task: taskConfigSchema,
  filter: filterSchema.nullish(),
  /** Rows without a label. */
  missingLabels: z.enum(MISSING_LABELS).default("drop"),
  /** Classes with fewer rows than folds. */
  rareClasses: z.enum(RARE_CLASSES).default("drop"),
  /** What the members below mean where they are left out; see `presets.ts`. Absent: balanced. */
  preset: z.enum(PRESETS).optional(),
  /** Null: the set follows the shape of the data, and the plan records why. */
  modelFamilies: z.array(z.string()).min(1).nullish(),
  hpoSpace: z.strictObject({ models: z.array(matrixRowSchema).min(1) }).nullish(),
  /** The first is optimised (all with `gridSize`); all are reported. Null: the task's default. */
  metrics: z.array(z.string()).min(1).nullish(),
  /**
   * A sweep over weights of all metrics, which gives several models: a whole number of divisions of
   * the simplex of weights, or a fraction, their step. Null: no sweep.
   */
  gridSize: z
    .number()
    .positive()
    .max(MAX_GRID_SIZE)
    .refine((size) => size <= 1 || Number.isInteger(size), {
      error: "a grid size above 1 is a number of divisions, a whole number",
    })
    .nullish(),
  searchStrategy: z.enum(["random", "tpe"]).default("tpe"),
  /** What comes before the strategy has trials to learn from; see `search/start-up.ts`. */
  startup: z.enum(START_UPS).default("portfolio"),
  /**
   * Trials of each row of the matrix. Null: 20, or what the preset says; under a time budget, or with
   * `trialsAllowed`, as many as that allows.
   */
  nTrials: z.int().min(1).max(MAX_TRIALS).nullish(),
  /** Trials of a row that are asked together and run in any order. */
  nTrialsPerStep: z.int().min(1).max(MAX_TRIALS).default(4),
  /**
   * Null: one holdout split. Absent: 5; under a time budget 8 where the rows are few; fewer, of few rows, where more
   * than a tenth of them are of classes that are in less than 5; of forecasting 3, which forecast a window of the horizon each, or several.
   */
  nCvSplits: z.int().min(2).max(MAX_FOLDS).nullable().optional(),
  /**
   * Blend several trials. With a `timeColumn` each of them is fitted once more on all rows, since fits of
   * folds lack the last; so it is where sequences are few. Else the blend keeps the fits of all folds.
   */
  ensemble: z.boolean().nullish(),
  /** Try a second level over the ensemble's candidates; kept where it beats their blend. */
  stacking: z.boolean().default(false),
  /** Fit each classifier's probabilities to the truth on its out-of-fold rows, where that helps. */
  calibration: z.boolean().default(true),
  /** Move the decision threshold of two classes where the first metric reads labels. */
  tuneThreshold: z.boolean().default(true),
  /** Seconds for everything, from reading the data to writing the model. */
  timeBudgetS: z.number().positive().nullish(),
  /**
   * Trials that may run, counted over all rows in the order of their numbers; the clock is then not
   * asked. The card of a run under a time budget names the number that repeats it.
   */
  trialsAllowed: z.int().min(1).nullish(),
  /**
   * By step, the rows of the matrix that trials are asked of, for repeating a run that shared out the time of
   * its budget. Absent: all rows, each for `nTrialsPerStep` trials.
   */
  trialsAsked: z
    .array(z.array(z.int().min(0)).min(1))
    .max(MAX_TRIALS)
    .optional(),
  /**
   * Trials that are fits of an earlier trial's parameters with other random numbers, for repeating a run that had
   * time for them. Their families are in `trialsAsked`.
   */
  trialsRepeated: z
    .array(z.strictObject({ trial: z.int().min(1), of: z.int().min(0) }))
    .max(MAX_TRIALS)
    .default([]),
  /** Trials whose learning rate is this one, and not as it is drawn, for repeating a run whose budget had time for few rounds. */
  ratesRaised: z
    .array(z.strictObject({ trial: z.int().min(0), rate: z.number().positive() }))
    .max(MAX_TRIALS)
    .default([]),
  /** Rows that are drawn to learn from, for repeating a run whose budget was short for all. */
  rowsAllowed: z.int().min(10).nullish(),
  /** Numbers of trials that are not run, for repeating a run whose budget refused them. */
  trialsRefused: z.array(z.int().min(0)).default([]),
  /**
   * Fits that end after so many iterations, or learn from so many rows, for repeating a run whose
   * budget did that.
   */
  fitsCut: z.array(fitCutSchema).default([]),
  /**
   * The same of fits on all rows, by the model's index, and of a blend the member's; or that it keeps the
   * fits of its folds in their place.
   */
  refitsCut: z
    .array(
      fitCutSchema.omit({ trial: true, fold: true }).extend({
        model: z.int().min(0),
        member: z.int().min(0).optional(),
        kept: z.literal("folds").optional(),
      }),
    )
    .default([]),
  /** Rows, over all folds, that the importance of columns is measured on. */
  importanceRows: z.int().min(1).default(2000),
  /** Whether models keep hashes of some learned rows, by which evaluations find these again; default yes. */
  rowSketch: z.boolean().optional(),
  /** By the model's index: fewer rows or columns, for repeating a run whose budget made them so. */
  importanceCut: z.array(importanceCutSchema).default([]),
  /** Bytes for the data and the fits that run at once; trials that cannot fit are refused. */
  memoryBudgetBytes: z.number().positive().nullish(),
  /** Trials are stopped after a fold when they cannot win any more. */
  pruning: z.boolean().default(true),
  /** The share of rows to come whose interval, or set of classes, is to hold the truth. */
  coverage: coverageSchema.default(0.9),
  /** Sets hold each class that often, and not only all of them together; they are larger then. */
  coverageByClass: z.boolean().default(false),
  randomState: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  /** Refit bin edges inside each fold, so that not even feature quantiles cross it. */
  strictFolds: z.boolean().default(false),
  /** +1: the prediction must not fall as the column rises; -1: must not rise. */
  monotoneConstraints: z.record(columnName, z.union([z.literal(1), z.literal(-1)])).default({}),
  /** Earlier runs whose trials are the search's prior observations. */
  warmStart: z.array(priorRunSchema).max(MAX_PRIOR_RUNS).default([]),
  /**
   * Multiplies the weights of the rows that are learned from: by class (1 where a class is not
   * named), or `balanced`, rows / (classes × rows of the class). Metrics do not see it.
   */
  classWeight: classWeightSchema.nullish(),
  /** What computes where that is faster. Networks that a GPU trained depend on it, and say so. Absent: as the process was told. */
  device: z.enum(DEVICES).optional(),
  /** The run's models are students of the teacher that `prepareRun` is given. Null: no teacher. */
  distill: distillSchema.nullish(),
});

/** The shape of a run's configuration, with its defaults. */
export const runConfigSchema = runConfigMembers.transform(({ ensemble, nCvSplits, ...config }) => ({
  ...config,
  // At the end whether they were given or not: a card's config makes the same bytes again.
  nCvSplits:
    nCvSplits === undefined &&
    !foldsFollowRows({ ...config, ensemble }) &&
    !foldsFollowClasses(config)
      ? taskType(config.task.taskKind).defaultFolds
      : nCvSplits,
  ensemble: ensemble ?? !presetOf(config.preset).single,
}));

/** Whether the plan may choose a larger number of folds, where none is given: a blend is of the fits of folds. */
export function foldsFollowRows({
  task,
  timeBudgetS,
  ensemble,
  preset,
}: Pick<
  z.output<typeof runConfigMembers>,
  "ensemble" | "preset" | "task" | "timeBudgetS"
>): boolean {
  const { taskKind, timeColumn, groupColumn } = task;
  const { moreFolds, single } = presetOf(preset);
  if ((timeBudgetS == null && !moreFolds) || !(ensemble ?? !single)) return false;
  return taskType(taskKind).framing === null && timeColumn == null && groupColumn == null;
}

/** Whether the plan may choose a smaller number, where none is given: each class is to be in each fold. */
export function foldsFollowClasses({
  task,
  rareClasses,
}: Pick<z.output<typeof runConfigMembers>, "rareClasses" | "task">): boolean {
  const isStratified = taskType(task.taskKind).folds === "stratified";
  return isStratified && task.timeColumn == null && rareClasses !== "error";
}

/** An earlier run whose trials the search begins with. */
export type PriorRun = z.output<typeof priorRunSchema>;
export type ClassWeight = z.output<typeof classWeightSchema>;
/** A run's configuration, defaults filled in. */
export type RunConfig = z.output<typeof runConfigSchema>;
/** A run's configuration as it is asked for. */
export type RunConfigInput = z.input<typeof runConfigSchema>;

/**
 * What a run with a teacher is asked where its request is silent.
 *
 * Who distills wants one small, fast model: so no ensemble, unless one is asked for. Which families
 * are searched is left to the plan, which leaves slow ones out (`matrix.ts`).
 */
export function studentConfig(config: RunConfigInput): RunConfigInput {
  return { ...config, ensemble: config.ensemble ?? false, distill: config.distill ?? {} };
}
