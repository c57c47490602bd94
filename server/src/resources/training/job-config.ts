/** The interface's `config` of a training job: what was asked for, as the plan has filled it in. */

import { DEFAULT_TRIALS, presetOf, type RunPlan } from "@distillery/engine";
import { z } from "zod";
import type { DatasetColumn } from "../datasets/store.ts";
import type { TrainerRunRequest } from "./request.ts";
import { foldsOf, wantsEnsemble } from "./run-config.ts";

const record = z.record(z.string(), z.unknown());

const teacherSchema = z.object({
  model_id: z.uuid().optional(),
  predict_url: z.string().optional().describe("Without its query."),
  header_names: z
    .array(z.string())
    .optional()
    .describe("Of teacher_headers; values are not shown."),
});

export const jobConfigSchema = z.object({
  dataframe: z.object({
    plan: record.describe("What was read: the dataset and the row filter."),
    columns: z.array(z.object({ name: z.string(), datatype: z.object({ kind: z.string() }) })),
    version: z.int(),
  }),
  job_tags: record,
  task: z.object({ label_column: z.string(), task_kind: z.string() }).catchall(z.unknown()),
  hpo_space: z.object({
    models: z.array(z.object({ family: z.string(), search: record, fixed: record })),
  }),
  metrics: z.array(z.string()),
  optimizer: z.object({ kind: z.string(), n_trials_per_step: z.int(), n_steps: z.int() }),
  n_cv_splits: z.int().nullable(),
  ensemble: z.boolean(),
  random_state: z.int(),
  teacher: teacherSchema.nullish().describe("Who teaches; null or absent where nobody does."),
  warm_start_job_ids: z.array(z.uuid()).optional(),
});

export type JobConfig = z.infer<typeof jobConfigSchema>;

/** The search space and families are those of the plan. */
export function toJobConfig(
  request: TrainerRunRequest,
  columns: readonly DatasetColumn[],
  plan: RunPlan | null,
): JobConfig {
  const teacher = teacherOf(request);
  const perRow = request.n_trials ?? presetOf(request.preset).trials ?? DEFAULT_TRIALS;
  const perStep = Math.min(perRow, request.n_trials_per_step);
  return {
    dataframe: {
      plan: {
        dataset_id: request.dataset_id,
        filter: request.filter ?? null,
        ...(plan ? { rows: plan.rows } : {}),
      },
      columns: columns.map(({ name, kind }) => ({ name, datatype: { kind } })),
      version: 1,
    },
    job_tags: request.job_tags,
    task: {
      label_column: request.task.label_column,
      task_kind: request.task.task_kind,
      ...Object.fromEntries(Object.entries(request.task).filter(([, value]) => value != null)),
    },
    hpo_space: {
      models: plan
        ? plan.matrix.map(({ family, space, fixed }) => ({
            family,
            search: { ...space },
            fixed: { ...fixed },
          }))
        : (request.model_families ?? []).map((family) => ({ family, search: {}, fixed: {} })),
    },
    metrics: plan ? [...plan.metrics] : (request.metrics ?? []),
    optimizer: {
      kind: request.search_strategy,
      n_trials_per_step: plan?.trialsPerStep ?? perStep,
      n_steps: plan?.steps ?? Math.ceil(perRow / perStep),
    },
    n_cv_splits: plannedFolds(request, plan),
    ensemble: wantsEnsemble(request),
    random_state: request.random_state,
    ...(teacher === null ? {} : { teacher }),
    ...(request.warm_start_job_ids ? { warm_start_job_ids: request.warm_start_job_ids } : {}),
  };
}

/** Where none are asked for, the plan says how many. */
function plannedFolds(request: TrainerRunRequest, plan: RunPlan | null): number | null {
  return request.n_cv_splits === undefined && plan ? plan.folds : foldsOf(request);
}

function teacherOf(request: TrainerRunRequest): z.infer<typeof teacherSchema> | null {
  const { teacher_model_id, teacher_predict_url, teacher_headers } = request;
  if (teacher_model_id != null) return { model_id: teacher_model_id };
  const url = URL.parse(teacher_predict_url ?? "");
  if (url === null) return null;
  return {
    predict_url: `${url.origin}${url.pathname}`,
    header_names: Object.keys(teacher_headers ?? {}),
  };
}
