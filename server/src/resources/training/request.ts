/** The body of `POST /v1/trainer/run`, and the engine's configuration made from it. */

import {
  DEFAULT_TRIALS,
  fieldOfAnotherKind,
  filterSchema,
  HIGHEST_LEVEL,
  LOWEST_LEVEL,
  MAX_FOLDS,
  MAX_PRIOR_RUNS,
  MAX_TRIALS,
  MERGED_CLASS,
  MISSING_LABELS,
  PLANNED_TASK_KINDS,
  type PriorRun,
  parameterSchema,
  parameterValueSchema,
  RARE_CLASSES,
  type RunConfigInput,
  TASK_KINDS,
  taskType,
} from "@distillery/engine";
import { z } from "zod";
import { distinct, familyName, metricName } from "./choice-names.ts";
import { searchFields } from "./search-fields.ts";
import {
  configTaskFields,
  givenTaskFields,
  snakeCase,
  wireName,
  wireTaskFields,
} from "./task-fields.ts";
import { checkTeacherFields, distillFields, teacherFields } from "./teachers/request-fields.ts";
import { writtenFilter } from "./written-filter.ts";

/** Divisions of the simplex; more points than trials could tell apart. */
const MAX_GRID_SIZE = 1000;

const columnName = z.string().min(1);

const plannedTaskKinds: readonly string[] = PLANNED_TASK_KINDS;
const taskKind = z
  .string()
  .superRefine((kind, context) => {
    if (TASK_KINDS.some((known) => known === kind)) return;
    const available = TASK_KINDS.map((known) => `'${known}'`).join(", ");
    context.addIssue({
      code: "custom",
      // What follows asks the kind's type.
      continue: false,
      message: plannedTaskKinds.includes(kind)
        ? `the task kind '${kind}' is not available yet; available are ${available}`
        : `'${kind}' is not a task kind; available are ${available}`,
    });
  })
  .pipe(z.enum(TASK_KINDS))
  .meta({ description: `One of ${TASK_KINDS.join(", ")}.`, enum: [...TASK_KINDS] });

const columnRoles = {
  weight_column: columnName
    .nullish()
    .describe("Non-negative weight of each row, in the fit and in the metrics."),
  group_column: columnName
    .nullish()
    .describe("Rows of one group are never on both sides of a split."),
  time_column: columnName
    .nullish()
    .describe("Splits follow this column: a fold is validated on rows later than it learns from."),
  ignore_columns: z.array(columnName).nullish().describe("Columns that are no features."),
};

const taskSchema = z
  .strictObject({
    task_kind: taskKind,
    label_column: columnName.describe("The column to predict."),
    ...columnRoles,
    ...wireTaskFields,
  })
  .superRefine(({ task_kind, ...given }, context) => {
    const stray = fieldOfAnotherKind(task_kind, givenTaskFields(given));
    if (stray === null) return;
    const kinds = stray.kinds.map((kind) => `'${kind}'`).join(" and ");
    context.addIssue({
      code: "custom",
      path: [snakeCase(stray.field)],
      message: `only ${kinds} has it, not '${task_kind}'`,
    });
  });

const classWeight = z
  .union([z.literal("balanced"), z.record(z.string(), z.number().nonnegative())])
  .nullish()
  .describe(
    "Multiplies the weights of the rows that are learned from: a weight for each class (1 for those left out), or `balanced`, in inverse proportion to their frequency. Scores are not weighted by it.",
  );

const gridSize = z
  .number()
  .positive()
  .max(MAX_GRID_SIZE)
  .refine((size) => size <= 1 || Number.isInteger(size), {
    error: "a grid size above 1 is a number of divisions, a whole number",
  })
  .nullish()
  .describe(
    "With several metrics: a Pareto sweep over a simplex grid of their weights, one model for each point of the front. A whole number is the number of divisions of the grid, a fraction up to 1 its step.",
  );

const hpoSpaceSchema = z.strictObject({
  models: z
    .array(
      z.strictObject({
        family: familyName,
        search: z
          .record(z.string(), parameterSchema)
          .nullish()
          .describe("Parameters searched instead of those of the default space."),
        fixed: z
          .record(z.string(), parameterValueSchema)
          .nullish()
          .describe("Parameters held at a value."),
      }),
    )
    .min(1),
});

const trainerRunMembers = z.strictObject({
  dataset_id: z.uuid(),
  name: z.string().min(1).max(200).nullish().describe("Default: the dataset's name."),
  filter: z
    .preprocess((filter) => writtenFilter(filter), filterSchema.nullish())
    .optional()
    .describe(
      "Only rows for which this holds are used. Integers are compared digit by digit; one that a column of numbers cannot hold is refused.",
    ),
  task: taskSchema,
  ...columnRoles,
  missing_labels: z
    .enum(MISSING_LABELS)
    .default("drop")
    .describe(
      "Rows without a label: drop leaves them out, and a warning counts them; error refuses the run.",
    ),
  rare_classes: z
    .enum(RARE_CLASSES)
    .default("drop")
    .describe(
      `Classes with fewer rows than n_cv_splits (2 for a holdout), which some fold would lack: drop leaves their rows out, and a warning names and counts them; merge joins them to one class, ${MERGED_CLASS}; error refuses the run. Folds ordered by time keep every class.`,
    ),
  model_families: z
    .array(familyName)
    .min(1)
    .superRefine(distinct("family"))
    .nullish()
    .describe("Default: a set that follows the shape of the data."),
  hpo_space: hpoSpaceSchema.nullish(),
  metrics: z
    .array(metricName)
    .min(1)
    .superRefine(distinct("metric"))
    .nullish()
    .describe(
      "All are reported. The first is optimised; with grid_size all of them are. Default: the task's standard metric.",
    ),
  search_strategy: z.enum(["random", "tpe"]).default("tpe"),
  n_trials: z
    .int()
    .min(1)
    .max(MAX_TRIALS)
    .nullish()
    .describe(
      `Trials of each matrix row. Default: ${DEFAULT_TRIALS}; with time_budget_s, as many as there is time for.`,
    ),
  n_trials_per_step: z.int().min(1).max(MAX_TRIALS).default(4),
  n_cv_splits: z
    .int()
    .min(2)
    .max(MAX_FOLDS)
    .nullable()
    .default(5)
    .describe("Number of folds; null = a single holdout split."),
  ensemble: z
    .boolean()
    .nullish()
    .describe(
      "Blend the trials of the run into one model. Default: true; false with a teacher, whose student is to be small and fast, and with a time_column, where the best trial is fitted once more on all rows, so that the model has learned from the latest.",
    ),
  grid_size: gridSize,
  ...teacherFields,
  distill: distillFields.nullish(),
  warm_start_job_ids: z
    .array(z.uuid())
    .min(1)
    .max(MAX_PRIOR_RUNS)
    .nullish()
    .describe(
      "Completed training jobs of the same task kind: their finished trials are what the search begins with, the best of them among its first trials. Scores on the same rows and label count as they are, others by their order. They are copied into the job, so that it does not depend on those jobs later.",
    ),
  class_weight: classWeight,
  coverage: z
    .number()
    .gt(LOWEST_LEVEL)
    .max(HIGHEST_LEVEL)
    .default(0.9)
    .describe(
      "Predictions come with conformal intervals or sets of classes; this is the share of rows to come for which they hold the truth. Any other level can be asked of the model when it predicts.",
    ),
  coverage_by_class: z
    .boolean()
    .default(false)
    .describe(
      "Sets hold the rows of each class that often, and not only those of all classes together: larger sets, and no rare class that is mostly missed.",
    ),
  ...searchFields,
  random_state: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  strict_folds: z
    .boolean()
    .default(false)
    .describe("Refit bin edges inside each fold, so that not even feature quantiles cross it."),
  monotone_constraints: z
    .record(columnName, z.union([z.literal(1), z.literal(-1)]))
    .nullish()
    .describe("1: the prediction must not fall as the column rises; -1: must not rise."),
  job_tags: z.record(z.string(), z.unknown()).default({}),
});

export const trainerRunSchema = trainerRunMembers.superRefine((request, context) => {
  const fault = (path: string, message: string): void =>
    context.addIssue({ code: "custom", path: [path], message });
  checkTeacherFields(request, fault);
  const type = taskType(request.task.task_kind);
  if (request.grid_size != null && (request.metrics ?? []).length < 2) {
    fault("grid_size", "a sweep weighs several metrics: name at least 2 in metrics");
  }
  if (!type.distils) {
    const kind = request.task.task_kind;
    for (const member of ["teacher_model_id", "teacher_predict_url"] as const) {
      if (request[member] == null) continue;
      fault(member, `${kind} cannot be learned from a teacher's predictions`);
    }
  }
  if (request.class_weight != null && type.target !== "class") {
    fault("class_weight", `${request.task.task_kind} has no classes to weigh; use a weight_column`);
  }
});

export type TrainerRunRequest = z.output<typeof trainerRunSchema>;

export function wantsEnsemble(request: TrainerRunRequest): boolean {
  return request.ensemble ?? !(hasTeacher(request) || timeColumnOf(request) !== null);
}

function timeColumnOf({ task, time_column }: TrainerRunRequest): string | null {
  return task.time_column ?? time_column ?? null;
}

function hasTeacher({ teacher_model_id, teacher_predict_url }: TrainerRunRequest): boolean {
  return teacher_model_id != null || teacher_predict_url != null;
}

/** The roles of columns may stand in `task` or beside it; those in `task` win. */
export function toRunConfig(
  request: TrainerRunRequest,
  warmStart: readonly PriorRun[] = [],
): RunConfigInput {
  const { task, distill } = request;
  return {
    task: {
      taskKind: task.task_kind,
      labelColumn: task.label_column,
      weightColumn: task.weight_column ?? request.weight_column ?? null,
      groupColumn: task.group_column ?? request.group_column ?? null,
      timeColumn: timeColumnOf(request),
      ignoreColumns: task.ignore_columns ?? request.ignore_columns ?? [],
      ...configTaskFields(task),
    },
    filter: request.filter ?? null,
    missingLabels: request.missing_labels,
    rareClasses: request.rare_classes,
    modelFamilies: request.model_families ?? null,
    hpoSpace: request.hpo_space
      ? {
          models: request.hpo_space.models.map(({ family, search, fixed }) => ({
            family,
            search: search ?? {},
            fixed: fixed ?? {},
          })),
        }
      : null,
    metrics: request.metrics ?? null,
    gridSize: request.grid_size ?? null,
    searchStrategy: request.search_strategy,
    nTrials: request.n_trials,
    nTrialsPerStep: request.n_trials_per_step,
    nCvSplits: request.n_cv_splits,
    ensemble: wantsEnsemble(request),
    timeBudgetS: request.time_budget_s ?? null,
    startup: request.startup,
    pruning: request.pruning,
    trialsAllowed: request.trials_allowed ?? null,
    trialsRefused: request.trials_refused,
    fitsCut: request.fits_cut,
    refitsCut: request.refits_cut,
    rowsAllowed: request.rows_allowed ?? null,
    importanceCut: request.importance_cut,
    importanceRows: request.importance_rows,
    memoryBudgetBytes: request.memory_budget_bytes ?? null,
    stacking: request.stacking,
    calibration: request.calibration,
    tuneThreshold: request.tune_threshold,
    randomState: request.random_state,
    strictFolds: request.strict_folds,
    monotoneConstraints: request.monotone_constraints ?? {},
    classWeight: request.class_weight ?? null,
    coverage: request.coverage,
    coverageByClass: request.coverage_by_class,
    warmStart: [...warmStart],
    distill: hasTeacher(request)
      ? {
          augmentedRows: distill?.augmented_rows ?? null,
          augmentation: distill?.augmentation,
          swapProbability: distill?.swap_probability,
          localVariance: distill?.local_variance,
          teacherWeight: distill?.teacher_weight,
        }
      : null,
  };
}

/** Members whose names differ between the engine and the request. */
const RENAMED: Readonly<Record<string, string>> = {
  taskKind: "task_kind",
  labelColumn: "label_column",
  weightColumn: "weight_column",
  groupColumn: "group_column",
  timeColumn: "time_column",
  ignoreColumns: "ignore_columns",
  missingLabels: "missing_labels",
  rareClasses: "rare_classes",
  modelFamilies: "model_families",
  hpoSpace: "hpo_space",
  searchStrategy: "search_strategy",
  nTrials: "n_trials",
  nTrialsPerStep: "n_trials_per_step",
  nCvSplits: "n_cv_splits",
  timeBudgetS: "time_budget_s",
  randomState: "random_state",
  strictFolds: "strict_folds",
  monotoneConstraints: "monotone_constraints",
  classWeight: "class_weight",
  coverageByClass: "coverage_by_class",
  warmStart: "warm_start_job_ids",
  gridSize: "grid_size",
  trialsAllowed: "trials_allowed",
  trialsRefused: "trials_refused",
  fitsCut: "fits_cut",
  refitsCut: "refits_cut",
  rowsAllowed: "rows_allowed",
  importanceCut: "importance_cut",
  importanceRows: "importance_rows",
  memoryBudgetBytes: "memory_budget_bytes",
  tuneThreshold: "tune_threshold",
  augmentedRows: "augmented_rows",
  swapProbability: "swap_probability",
  localVariance: "local_variance",
  teacherWeight: "teacher_weight",
};

/** Where the request has what the engine found fault with. */
export function requestPath(path: readonly (string | number)[]): (string | number)[] {
  return [
    "body",
    ...path.map((part) => (typeof part === "string" ? (RENAMED[part] ?? wireName(part)) : part)),
  ];
}
