/** The engine's configuration of a training request. */

import {
  distillSchema,
  type PriorRun,
  presetOf,
  type RunConfigInput,
  runConfigMembers,
  TASK_FIELDS,
  taskType,
} from "@distillery/engine";
import type { TrainerRunRequest } from "./request.ts";
import { distillFields } from "./teachers/request-fields.ts";
import { engineMembers } from "./wire-names.ts";

export function wantsEnsemble(request: TrainerRunRequest): boolean {
  return request.ensemble ?? !(hasTeacher(request) || presetOf(request.preset).single);
}

/** Folds, or windows of a backtest, that are sure before the plan is made; null = a single split. */
export function foldsOf({ n_cv_splits, task }: TrainerRunRequest): number | null {
  return n_cv_splits === undefined ? taskType(task.task_kind).defaultFolds : n_cv_splits;
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
  const { task, hpo_space, distill } = request;
  return {
    // As the model's card shows it: null for what was not asked for.
    ...engineMembers(runConfigMembers.shape, request, null),
    task: {
      ...engineMembers(TASK_FIELDS, task),
      taskKind: task.task_kind,
      labelColumn: task.label_column,
      weightColumn: task.weight_column ?? request.weight_column ?? null,
      groupColumn: task.group_column ?? request.group_column ?? null,
      timeColumn: timeColumnOf(request),
      ignoreColumns: task.ignore_columns ?? request.ignore_columns ?? [],
    },
    hpoSpace: hpo_space
      ? {
          models: hpo_space.models.map(({ family, search, fixed }) => ({
            family,
            search: search ?? {},
            fixed: fixed ?? {},
          })),
        }
      : null,
    // But for this one, which the card leaves out.
    nTrials: request.n_trials,
    nCvSplits: request.n_cv_splits,
    ensemble: wantsEnsemble(request),
    monotoneConstraints: request.monotone_constraints ?? {},
    warmStart: [...warmStart],
    distill: hasTeacher(request)
      ? engineMembers(distillSchema.shape, distill ?? distillFields.parse({}), null)
      : null,
  };
}
