/** `GET /v1/jobs/{job_id}/metrics`: a job's log, folded for people who look. */

import { bestTrial, foldEvents, type RunState } from "@distillery/engine";
import { z } from "zod";
import { modelsOf, progressSchema, toProgress } from "./record.ts";
import { JOB_STATUSES, type JobRow } from "./store.ts";

const scores = z.record(z.string(), z.number().nullable());

const trialSchema = z.object({
  number: z.int(),
  state: z.enum(["running", "finished", "failed", "pruned", "refused", "dropped"]),
  family: z.string(),
  params: z.record(z.string(), z.unknown()),
  values: scores.nullable().describe("Mean over the folds, by metric."),
  fold_values: z.array(scores.nullable()).describe("By fold; null where not finished."),
  reason: z.string().nullable().describe("Why it failed, or was pruned, refused or dropped."),
  started: z.iso.datetime(),
  ended: z.iso.datetime().nullable(),
});

export const metricsSchema = z.object({
  status: z.enum(JOB_STATUSES),
  error_message: z.string(),
  progress: progressSchema,
  best: trialSchema.nullable(),
  trials: z.array(trialSchema),
  series: z
    .record(z.string(), z.array(z.object({ trial: z.int(), value: z.number().nullable() })))
    .describe("Finished trials by metric, in the order of their numbers."),
  pareto: z
    .array(z.object({ model_id: z.uuid(), values: scores }))
    .describe("The models of the job with their scores."),
  scores: scores
    .nullable()
    .describe("Of the first model, on out-of-fold or holdout rows; null until it is selected."),
});

type Trial = z.infer<typeof trialSchema>;

export function toMetrics(
  job: JobRow,
  events: Parameters<typeof foldEvents>[0],
): z.infer<typeof metricsSchema> {
  const state = foldEvents(events);
  const trials = state.trials.map(toTrial);
  const best = bestTrial(state);
  const metrics = state.plan?.metrics ?? [];
  const final = state.selections.length > 0 ? { ...state.selections[0].scores } : null;
  return {
    status: job.status,
    error_message: job.error_message,
    progress: toProgress(job),
    best: best ? toTrial(best) : null,
    trials,
    series: Object.fromEntries(
      metrics.map((metric) => [
        metric,
        trials.flatMap(({ number, values }) =>
          values ? [{ trial: number, value: values[metric] ?? null }] : [],
        ),
      ]),
    ),
    pareto:
      job.status === "completed"
        ? modelsOf(job).map(({ id }, model) => ({
            model_id: id,
            values: { ...state.selections[model].scores },
          }))
        : [],
    scores: final,
  };
}

function toTrial(trial: RunState["trials"][number]): Trial {
  return {
    number: trial.number,
    state: trial.state,
    family: trial.family,
    params: { ...trial.parameters },
    values: trial.scores && { ...trial.scores },
    fold_values: trial.folds.map((fold) =>
      fold?.state === "finished" ? { ...fold.scores } : null,
    ),
    reason: trial.reason,
    started: trial.started,
    ended: trial.ended,
  };
}
