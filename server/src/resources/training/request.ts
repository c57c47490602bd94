/**
 * The body of `POST /v1/trainer/run`. Bounds and defaults are those of the engine's configuration, of
 * whose members it is made; what is said of them, and what only a service has, is here.
 */

import {
  clashOfRoles,
  DEFAULT_TRIALS,
  fieldOfAnotherKind,
  MAX_PRIOR_RUNS,
  MERGED_CLASS,
  matrixRowSchema,
  missingField,
  TASK_FIELDS,
  TASK_KINDS,
  taskType,
} from "@distillery/engine";
import { z } from "zod";
import { displayName } from "../../platform/input/display-name.ts";
import { modelNameSchema } from "../models/model-id.ts";
import { distinct, familyName, metricName } from "./choice-names.ts";
import { rolesOf } from "./column-roles.ts";
import { searchFields } from "./search-fields.ts";
import { checkTeacherFields, distillFields, teacherFields } from "./teachers/request-fields.ts";
import { engineMembers, runMembers, snakeCase, snakeCased, taskMembers } from "./wire-names.ts";
import { writtenFilter } from "./written-filter.ts";

const taskKind = z
  .string()
  .superRefine((kind, context) => {
    if (TASK_KINDS.some((known) => known === kind)) return;
    const available = TASK_KINDS.map((known) => `'${known}'`).join(", ");
    context.addIssue({
      code: "custom",
      // What follows asks the kind's type.
      continue: false,
      message: `'${kind}' is not a task kind; available are ${available}`,
    });
  })
  .pipe(z.enum(TASK_KINDS))
  .meta({ description: `One of ${TASK_KINDS.join(", ")}.`, enum: [...TASK_KINDS] });

const columnRoles = {
  weight_column: taskMembers.weight_column.describe(
    "Non-negative weight of each row, in the fit and in the metrics.",
  ),
  group_column: taskMembers.group_column.describe(
    "Rows of one group are never on both sides of a split.",
  ),
  time_column: taskMembers.time_column.describe(
    "Splits follow this column: a fold is validated on rows later than it learns from.",
  ),
  ignore_columns: taskMembers.ignore_columns
    .unwrap()
    .nullish()
    .describe("Columns that are no features."),
};

const taskSchema = z
  .strictObject({
    task_kind: taskKind,
    label_column: taskMembers.label_column.describe("The column to predict."),
    ...columnRoles,
    ...snakeCased(TASK_FIELDS),
  })
  .superRefine(({ task_kind, ...given }, context) => {
    const missing = missingField(task_kind, {
      ...engineMembers(TASK_FIELDS, given),
      timeColumn: given.time_column,
    });
    if (missing !== null) {
      context.addIssue({
        code: "custom",
        path: [snakeCase(missing)],
        message: `'${task_kind}' needs it`,
      });
    }
    const stray = fieldOfAnotherKind(task_kind, engineMembers(TASK_FIELDS, given));
    if (stray === null) return;
    const kinds = stray.kinds.map((kind) => `'${kind}'`).join(" and ");
    context.addIssue({
      code: "custom",
      path: [snakeCase(stray.field)],
      message: `only ${kinds} ${stray.kinds.length === 1 ? "has" : "have"} it, not '${task_kind}'`,
    });
  });

const hpoSpaceSchema = z.strictObject({
  models: z
    .array(
      z.strictObject({
        family: familyName,
        search: matrixRowSchema.shape.search
          .unwrap()
          .nullish()
          .describe("Parameters searched instead of those of the default space."),
        fixed: matrixRowSchema.shape.fixed
          .unwrap()
          .nullish()
          .describe("Parameters fixed at a value."),
      }),
    )
    .min(1),
});

const trainerRunMembers = z.strictObject({
  dataset_id: z.uuid(),
  name: displayName().nullish().describe("Default: the dataset's name."),
  register_as: modelNameSchema
    .nullish()
    .describe(
      "The model becomes the next version of this name of the registry once it is completed; of a sweep, the one that is best on the first metric. A run that fails takes no number.",
    ),
  filter: z
    .preprocess((filter) => writtenFilter(filter), runMembers.filter)
    .optional()
    .describe(
      "Only rows for which this holds are used. Integers are compared digit by digit; one that a column of numbers cannot hold is refused.",
    ),
  task: taskSchema,
  ...columnRoles,
  missing_labels: runMembers.missing_labels.describe(
    "Rows without a label: drop leaves them out, and a warning counts them; error refuses the run.",
  ),
  rare_classes: runMembers.rare_classes.describe(
    `Classes with fewer rows than n_cv_splits (2 for a holdout), which some fold would lack: drop leaves their rows out, and a warning names and counts them; merge combines them into one class, ${MERGED_CLASS}; error refuses the run. Folds ordered by time keep every class.`,
  ),
  preset: runMembers.preset.describe(
    "What the other members mean where they are left out. fast: 2 trials of each family, whatever time there is; balanced (the default); best: 60 trials of each family, and 8 folds of up to 2,000 rows, without a time budget too; interpretable: one linear model or sum of shape functions (gam), of forecasting a classical one; small: the best single model of families that predict fast.",
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
  search_strategy: runMembers.search_strategy,
  n_trials: runMembers.n_trials.describe(
    `Trials of each matrix row. Default: ${DEFAULT_TRIALS}; with time_budget_s, as many as there is time for.`,
  ),
  n_trials_per_step: runMembers.n_trials_per_step,
  n_cv_splits: runMembers.n_cv_splits.describe(
    "Number of folds; null = a single holdout split. Default: 5; with time_budget_s 8 where the rows are few (2,000 at most), and less where more than a tenth of so few rows are of classes that have less. Of forecasting the fits of the backtest, each of which forecasts the window behind it, as long as the horizon, or, of few long series without a window_step, up to 8 of them; default 3.",
  ),
  ensemble: runMembers.ensemble.describe(
    "Blend the trials of the run into one model. Default: true; false with a teacher, whose student is to be small and fast. With a time_column each trial of the blend is fitted once more on all rows, so that the model has learned from the latest; so it is of up to 1,000 sequences, of which each one counts.",
  ),
  grid_size: runMembers.grid_size.describe(
    "With several metrics: a Pareto sweep over a simplex grid of their weights, one model for each point of the front. A whole number is the number of divisions of the grid, a fraction up to 1 its step.",
  ),
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
  class_weight: runMembers.class_weight.describe(
    "Multiplies the weights of the rows that are learned from: a weight for each class (1 for those left out), or `balanced`, in inverse proportion to their frequency. Scores are not weighted by it.",
  ),
  coverage: runMembers.coverage.describe(
    "Predictions come with conformal intervals or sets of classes; this is the share of future rows for which they contain the truth. Any other level can be asked of the model when it predicts.",
  ),
  coverage_by_class: runMembers.coverage_by_class.describe(
    "Sets reach this coverage for each class, and not only over all classes together: larger sets, but no rare class that is mostly missed.",
  ),
  ...searchFields,
  random_state: runMembers.random_state,
  strict_folds: runMembers.strict_folds.describe(
    "Refit bin edges inside each fold, so that not even feature quantiles cross it.",
  ),
  monotone_constraints: runMembers.monotone_constraints
    .unwrap()
    .nullish()
    .describe("1: the prediction must not fall as the column rises; -1: must not rise."),
  device: runMembers.device.describe(
    "What computes: auto (a GPU where it was measured to be faster), wasm (the CPU), webgpu (the GPU), or tensorflow (networks alone, where @tensorflow/tfjs-node-gpu is installed). Default: as the service was told. A job that asks for webgpu or tensorflow waits for a worker that has it, however busy, while one lives; where none has, the CPU computes, and `progress.device` says so. Models of trees do not depend on it; networks that another device trained differ in their last digits, and their facts name it.",
  ),
  job_tags: z.record(z.string(), z.unknown()).default({}),
});

export const trainerRunSchema = trainerRunMembers.superRefine((request, context) => {
  const fault = (path: string, message: string): void =>
    context.addIssue({ code: "custom", path: [path], message });
  checkTeacherFields(request, fault);
  const clash = clashOfRoles(rolesOf(request).filter(({ isUsed }) => isUsed));
  if (clash !== null) {
    const [, ...path] = clash.role.loc;
    context.addIssue({ code: "custom", path, message: clash.message });
  }
  const type = taskType(request.task.task_kind);
  if (request.grid_size != null && (request.metrics ?? []).length < 2) {
    fault("grid_size", "a sweep weighs several metrics: name at least 2 in metrics");
  }
  if (type.undistilled !== null) {
    const kind = request.task.task_kind;
    for (const member of ["teacher_model_id", "teacher_predict_url"] as const) {
      if (request[member] == null) continue;
      fault(member, `${kind} cannot be learned from a teacher's predictions: ${type.undistilled}`);
    }
  }
  if (request.class_weight != null && type.target !== "class") {
    fault(
      "class_weight",
      `${request.task.task_kind} has no classes to weight; use a weight_column`,
    );
  }
});

export type TrainerRunRequest = z.output<typeof trainerRunSchema>;
