/** The evaluation as the API shows it. */

import { z } from "zod";
import { JOB_STATUSES } from "../jobs/job.ts";
import { retryMember, toRetry } from "../jobs/retry.ts";
import { modelIdSchema, modelReferenceSchema } from "../models/model-id.ts";
import { EVALUATION_PHASES, type EvaluationJobRow } from "./job.ts";

const time = z.iso.datetime();
const score = z.number().nullable();
const scores = z
  .record(z.string(), score)
  .describe("By metric; null where the metric is undefined for these rows.");
const interval = z.tuple([z.number(), z.number()]).nullable();

export const evaluationProgressSchema = z
  .object({
    phase: z.enum(EVALUATION_PHASES),
    done: z
      .int()
      .describe(
        "Of the phase: rows that are predicted, each once for each model, or resamples that are scored.",
      ),
    total: z.int().describe("Of `done`; 0 of a phase that is not counted."),
    seconds: z.number().describe("Since it was begun, until now or its end."),
    estimate: z
      .number()
      .nullable()
      .describe("Seconds that the phase may still take; null while that is unknown."),
  })
  .meta({ id: "EvaluationProgress" });

export const evaluationResultSchema = z
  .object({
    model_id: z.uuid(),
    dataset_id: z.uuid(),
    rows: z.int().describe("That were scored: rows, or sequences."),
    left_out: z.object({
      missing_label: z.int(),
      unknown_class: z
        .record(z.string(), z.int())
        .describe("Rows of classes that the model does not know, by class."),
    }),
    metrics: z.array(z.object({ name: z.string(), direction: z.enum(["minimize", "maximize"]) })),
    models: z.array(
      z.object({
        model_id: z.uuid(),
        scores,
        intervals: z
          .record(z.string(), interval)
          .describe("95 % of the scores of resampled rows lie between both ends."),
        coverage: z
          .object({ nominal: z.number(), measured: z.number(), mean_size: z.number() })
          .nullable()
          .describe(
            "Of intervals or sets: the share that they were made to hold, the share that they held, and how wide they are, or how many classes are in them.",
          ),
      }),
    ),
    slices: z.array(
      z.object({
        column: z.string(),
        of: z.string().describe("What the rows have in common."),
        rows: z.int(),
        scores: z.array(scores).describe("One a model."),
      }),
    ),
    comparisons: z
      .array(
        z.object({
          model_id: z.uuid(),
          against: z.uuid(),
          metric: z.string(),
          difference: score.describe("The model's score less the other's."),
          interval: interval.describe(
            "95 % of the differences on resampled rows lie between both ends.",
          ),
          better_share: score.describe(
            "Share of resamples in which the model is the better one; ties count half.",
          ),
        }),
      )
      .describe("Of each further model with the first, on the same resampled rows."),
    warnings: z.array(z.string()),
    report_path: z.string().describe("Where the report is: calibration, confusion or residuals."),
  })
  .meta({ id: "EvaluationFigures" });

export const evaluationSchema = z
  .object({
    job_id: z.uuid(),
    name: z.string(),
    status: z.enum(JOB_STATUSES),
    models: z.array(z.object({ model_id: modelIdSchema, model: modelReferenceSchema })),
    dataset_id: z.uuid(),
    metrics: z.array(z.string()).nullable(),
    slices: z.array(z.string()),
    random_state: z.int(),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    error_message: z.string(),
    ...retryMember,
    progress: evaluationProgressSchema,
    result: evaluationResultSchema.nullable(),
  })
  .meta({ id: "Evaluation" });

export type ShownEvaluation = z.infer<typeof evaluationSchema>;

export function toEvaluation(row: EvaluationJobRow): ShownEvaluation {
  return {
    job_id: row.id,
    name: row.name,
    status: row.status,
    models: row.details.models.map((each) => ({ ...each })),
    dataset_id: row.request.dataset_id,
    metrics: row.request.metrics && [...row.request.metrics],
    slices: [...row.request.slices],
    random_state: row.request.random_state,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    error_message: row.error_message,
    ...toRetry(row),
    progress: toEvaluationProgress(row),
    result: toEvaluationResult(row),
  };
}

export const toEvaluationProgress = ({
  progress,
}: EvaluationJobRow): z.infer<typeof evaluationProgressSchema> => ({
  phase: progress?.phase ?? "new",
  done: progress?.done ?? 0,
  total: progress?.total ?? 0,
  seconds: progress?.seconds ?? 0,
  estimate: progress?.estimate ?? null,
});

export function toEvaluationResult({
  id,
  details,
  request,
  result,
}: EvaluationJobRow): z.infer<typeof evaluationResultSchema> | null {
  if (result === null) return null;
  return {
    model_id: details.models[0].model_id,
    dataset_id: request.dataset_id,
    rows: result.rows,
    left_out: {
      missing_label: result.leftOut.missingLabel,
      unknown_class: result.leftOut.unknownClass,
    },
    metrics: result.metrics,
    models: result.models.map(({ id: modelId, scores: own, intervals, coverage }) => ({
      model_id: modelId,
      scores: own,
      intervals,
      coverage: coverage && {
        nominal: coverage.nominal,
        measured: coverage.measured,
        mean_size: coverage.meanSize,
      },
    })),
    slices: result.slices,
    comparisons: result.comparisons.map(({ model, betterShare, ...rest }) => ({
      model_id: model,
      ...rest,
      better_share: betterShare,
    })),
    warnings: result.warnings,
    report_path: `/v1/evaluations/${id}/report`,
  };
}
