/** `GET /v1/jobs/{job_id}/metrics`: a job's log, folded for people who look. */

import { bestTrial, foldEvents, type RunState } from "@distillery/engine";
import { z } from "zod";
import { JOB_STATUSES } from "../jobs/job.ts";
import type { TrainingJobRow } from "./job.ts";
import { modelsOf, progressSchema, toProgress } from "./record.ts";

const scores = z.record(z.string(), z.number().nullable());

const trialSchema = z.object({
  number: z.int(),
  state: z.enum(["running", "finished", "failed", "pruned", "refused", "dropped"]),
  family: z.string(),
  params: z.record(z.string(), z.unknown()),
  values: scores.nullable().describe("Mean over the folds, by metric."),
  fold_values: z.array(scores.nullable()).describe("By fold; null where not finished."),
  reason: z.string().nullable().describe("Why it failed, or was pruned, refused or dropped."),
  started: z.iso
    .datetime()
    .nullable()
    .describe("When its first fold began; null until one of its folds has ended."),
  ended: z.iso
    .datetime()
    .nullable()
    .describe("When its last fold ended, or when it was refused; null until then."),
});

/** The two scores that one model has, which differ by how folds are joined. */
const estimates = z
  .object({
    pooled: scores.describe(
      "Each metric once, over the predictions of all out-of-fold (or holdout) rows together.",
    ),
    fold_mean: scores
      .nullable()
      .describe(
        "Each metric per fold, then their mean, as `values` of a trial are: by these a model is held against its trials. null of a single holdout.",
      ),
  })
  .describe("Both scores of the model, by how the folds are joined.");

/** One number a metric, by the order of metric_names. */
const point = z.array(z.number());

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
    .array(
      z.object({
        model_id: z.uuid(),
        model_name: z.string(),
        values: scores.describe("The pooled scores of `estimates`."),
        estimates,
        trials: z
          .array(z.object({ trial: z.int(), weight: z.number() }))
          .describe("What it is made of, heaviest first."),
        metric_weights: z
          .array(z.record(z.string(), z.number()))
          .describe("All weights of the metrics that led to it; one without a sweep."),
      }),
    )
    .describe("The models of the job, from their selection on, best on the first metric first."),
  front: z
    .object({
      metric_names: z.array(z.string()),
      weights: z.int().describe("Weights of the metrics that were tried."),
      ideal: point.describe("The best of each metric among the models."),
      nadir: point.describe("The worst of each metric among the models of the front."),
      reference: point.describe("A tenth of that range beyond the nadir."),
      hypervolume: z
        .number()
        .describe("Share of the box between ideal and reference that the models dominate."),
      dominated: z.int().describe("Models left out because another is nowhere worse."),
      bounded: z.int().describe("Models of the front left out to bound their number."),
      notes: z.array(z.string()),
    })
    .nullable()
    .describe("Of a sweep over several metrics, once it has selected; else null."),
  scores: scores
    .nullable()
    .describe(
      "Of the first model, the pooled ones of `estimates`: over all out-of-fold or holdout rows together; null until it is selected.",
    ),
});

export type Metrics = z.infer<typeof metricsSchema>;
type Trial = z.infer<typeof trialSchema>;

export function toMetrics(job: TrainingJobRow, events: Parameters<typeof foldEvents>[0]): Metrics {
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
    pareto: paretoOf(job, state),
    front: frontOf(state),
    scores: final,
  };
}

function paretoOf(job: TrainingJobRow, { selections, plan, trials }: RunState): Metrics["pareto"] {
  const models = modelsOf(job);
  const byMetric = (weights: readonly number[]): Record<string, number> =>
    Object.fromEntries((plan?.metrics ?? []).map((metric, at) => [metric, weights[at] ?? 0]));
  return selections.flatMap((selection, index) => {
    const { kind, scores: values, meanFoldScores, members, metricWeights, alsoFor } = selection;
    const model = models[index];
    if (!model) return [];
    const [only] = members;
    const trial = kind === "winner" && only !== undefined ? trials[only.trial] : undefined;
    const mean = trial?.scores ?? meanFoldScores;
    return {
      model_id: model.id,
      model_name: model.name,
      values: { ...values },
      estimates: { pooled: { ...values }, fold_mean: mean ? { ...mean } : null },
      trials: [...members],
      metric_weights: [metricWeights, ...alsoFor].map(byMetric),
    };
  });
}

function frontOf({ pareto }: RunState): Metrics["front"] {
  if (!pareto) return null;
  const { metrics, ideal, nadir, reference, notes, ...rest } = pareto;
  return {
    ...rest,
    metric_names: [...metrics],
    ideal: [...ideal],
    nadir: [...nadir],
    reference: [...reference],
    notes: [...notes],
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
    ended: trial.state === "running" ? null : trial.ended,
  };
}
