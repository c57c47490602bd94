/** The training job as the interface shows it. */

import { z } from "zod";
import { isOpen, JOB_STATUSES } from "../jobs/job.ts";
import { retryMember, toRetry } from "../jobs/retry.ts";
import { datasetOf, type FurtherModel, type TrainingJobRow } from "./job.ts";
import { jobConfigSchema } from "./job-config.ts";

const record = z.record(z.string(), z.unknown());

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
    .describe("Never begun: they did not fit into the time or the memory that was left."),
  folds_planned: z.int(),
  folds_done: z.int(),
  seconds: z.number(),
  estimate: z.number().nullable().describe("Seconds left; null while unknown."),
  best: z.object({ trial: z.int(), metric: z.string(), score: z.number().nullable() }).nullable(),
  device: z
    .string()
    .nullable()
    .describe(
      "A sentence: which GPU takes part, or why none does that was asked for or looked for; null until that is settled, and of runs that are too small to look for one.",
    ),
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
      "A signed link to the run's report, to open in a browser; it is valid for a week and exists once the job is completed. The JSON result is at /v1/results/{job_id}.",
    ),
  error_message: z.string(),
  ...retryMember,
  progress: progressSchema,
});

export type TrainingJob = z.infer<typeof trainingJobSchema>;

const shortId = (id: string): string => id.slice(0, 8);

/** @param resultUri see `report-link.ts` */
export function toRecord(job: TrainingJobRow, resultUri: string): TrainingJob {
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
    dataset_id: datasetOf(job),
    config: job.details.record,
    model_id: job.details.model_id,
    model_ids: models.map(({ id }) => id),
    model_name: job.details.model_name,
    model_names: models.map(({ name }) => name),
    model_short_id: shortId(job.details.model_id),
    model_short_ids: models.map(({ id }) => shortId(id)),
    pareto_values: job.status === "completed" ? models.map(({ scores }) => [...scores]) : [],
    metric_names: job.details.record.metrics,
    result_uri: resultUri,
    error_message: job.error_message,
    ...toRetry(job),
    progress: toProgress(job),
  };
}

/** All models of a job, the best on the first metric first. */
export function modelsOf(job: TrainingJobRow): readonly FurtherModel[] {
  const { model_id: id, model_name: name } = job.details;
  const { scores, further_models } = job.result ?? { scores: [], further_models: [] };
  return [{ id, name, scores }, ...further_models];
}

export function toProgress(job: TrainingJobRow): z.infer<typeof progressSchema> {
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
    estimate: isOpen(job) ? (progress?.estimate ?? null) : 0,
    best: progress?.best ?? null,
    device: deviceSentence(job),
  };
}

function deviceSentence({ progress }: TrainingJobRow): string | null {
  const said = [progress?.lacking, progress?.device].filter((each) => each != null);
  return said.length === 0 ? null : said.join("; ");
}
