/** The training job as the interface shows it. */

import { DEFAULT_TRIALS, type RunPlan } from "@distillery/engine";
import { z } from "zod";
import type { DatasetColumn } from "../datasets/store.ts";
import { type TrainerRunRequest, wantsEnsemble } from "./request.ts";
import { type FurtherModel, JOB_STATUSES, type JobRow } from "./store.ts";

const record = z.record(z.string(), z.unknown());

const teacherSchema = z.object({
  model_id: z.uuid().optional(),
  predict_url: z.string().optional().describe("Without its query."),
  header_names: z
    .array(z.string())
    .optional()
    .describe("Of teacher_headers; values are not shown."),
});

const jobConfigSchema = z.object({
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

export type JobRecordConfig = z.infer<typeof jobConfigSchema>;

export const progressSchema = z.object({
  phase: z.enum(["new", "searching", "selecting", "fitting", "saving", "done"]),
  trials_planned: z
    .int()
    .describe("Where there are as many as the time budget allows: those asked for so far."),
  trials_done: z.int(),
  trials_failed: z.int(),
  trials_pruned: z.int().describe("Stopped before their last fold: they could not win."),
  trials_refused: z
    .int()
    .describe("Never begun: they fit neither the time nor the memory that was left."),
  folds_planned: z.int(),
  folds_done: z.int(),
  seconds: z.number(),
  estimate: z.number().nullable().describe("Seconds left; null while unknown."),
  best: z.object({ trial: z.int(), metric: z.string(), score: z.number().nullable() }).nullable(),
});

const time = z.iso.datetime();

export const trainingJobSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  status: z.enum(JOB_STATUSES),
  created_at: time,
  updated_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  tags: record,
  dataset_id: z.uuid(),
  config: jobConfigSchema,
  model_id: z.uuid(),
  model_ids: z.array(z.uuid()),
  model_name: z.string(),
  model_names: z.array(z.string()),
  model_short_id: z.string(),
  model_short_ids: z.array(z.string()),
  pareto_values: z
    .array(z.array(z.number().nullable()))
    .describe(
      "Scores of each model of model_ids, by the order of metric_names; empty until they are trained.",
    ),
  metric_names: z.array(z.string()),
  result_uri: z
    .string()
    .describe(
      "A signed link to the run's report, to open in a browser; it holds for a week and is there once the job is completed. The JSON result is at /v1/results/{job_id}.",
    ),
  error_message: z.string(),
  progress: progressSchema,
});

export type TrainingJob = z.infer<typeof trainingJobSchema>;

export const shortId = (id: string): string => id.slice(0, 8);

/** @param resultUri see `report-link.ts` */
export function toRecord(job: JobRow, resultUri: string): TrainingJob {
  const models = modelsOf(job);
  return {
    id: job.id,
    name: job.name,
    status: job.status,
    created_at: job.created_at.toISOString(),
    updated_at: job.updated_at.toISOString(),
    started_at: job.started_at?.toISOString() ?? null,
    finished_at: job.finished_at?.toISOString() ?? null,
    tags: job.tags,
    dataset_id: job.dataset_id,
    config: job.record,
    model_id: job.model_id,
    model_ids: models.map(({ id }) => id),
    model_name: job.model_name,
    model_names: models.map(({ name }) => name),
    model_short_id: shortId(job.model_id),
    model_short_ids: models.map(({ id }) => shortId(id)),
    pareto_values: job.status === "completed" ? models.map(({ scores }) => [...scores]) : [],
    metric_names: job.record.metrics,
    result_uri: resultUri,
    error_message: job.error_message,
    progress: toProgress(job),
  };
}

/** All models of a job, the best on the first metric first. */
export function modelsOf(job: JobRow): readonly FurtherModel[] {
  return [{ id: job.model_id, name: job.model_name, scores: job.scores }, ...job.further_models];
}

export function toProgress(job: JobRow): z.infer<typeof progressSchema> {
  const { progress } = job;
  return {
    phase: progress?.phase ?? "new",
    trials_planned: progress?.trialsPlanned ?? 0,
    trials_done: progress?.trialsDone ?? 0,
    trials_failed: progress?.trialsFailed ?? 0,
    // Of progress that a former version saved, these are not known.
    trials_pruned: progress?.trialsPruned ?? 0,
    trials_refused: progress?.trialsRefused ?? 0,
    folds_planned: progress?.foldsPlanned ?? 0,
    folds_done: progress?.foldsDone ?? 0,
    seconds: progress?.seconds ?? 0,
    estimate:
      job.status === "completed" || job.status === "failed" ? 0 : (progress?.estimate ?? null),
    best: progress?.best ?? null,
  };
}

/** The interface's `config`; the search space and families are those of the plan. */
export function toJobConfig(
  request: TrainerRunRequest,
  columns: readonly DatasetColumn[],
  plan: RunPlan | null,
): JobRecordConfig {
  const teacher = teacherOf(request);
  const perRow = request.n_trials ?? DEFAULT_TRIALS;
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
    n_cv_splits: request.n_cv_splits,
    ensemble: wantsEnsemble(request),
    random_state: request.random_state,
    ...(teacher === null ? {} : { teacher }),
    ...(request.warm_start_job_ids ? { warm_start_job_ids: request.warm_start_job_ids } : {}),
  };
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
