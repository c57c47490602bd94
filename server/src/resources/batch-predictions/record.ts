/** The batch prediction as the API shows it. */

import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { OUTPUT_FORMATS, outputFormat } from "../../platform/compute/scoring/formats/index.ts";
import { OUTPUT_TYPES } from "../../platform/compute/scoring/output-column.ts";
import { isOpen, JOB_STATUSES } from "../jobs/job.ts";
import { retryMember, toRetry } from "../jobs/retry.ts";
import { BATCH_PHASES, type BatchJobRow } from "./job.ts";
import { outputKey } from "./objects.ts";

const URL_SECONDS = 900;

export const batchProgressSchema = z
  .object({
    phase: z.enum(BATCH_PHASES),
    rows_done: z.int().describe("Rows of the source that are predicted."),
    rows_total: z.int().describe("0 while unknown."),
    rows_per_second: z.number().nullable().describe("Since this attempt began to predict."),
    seconds: z.number(),
    estimate: z.number().nullable().describe("Seconds left; null while unknown."),
  })
  .meta({ id: "BatchPredictionProgress" });

const outputColumnSchema = z.object({
  name: z.string(),
  type: z.enum(OUTPUT_TYPES),
  nullable: z.boolean(),
});

export const batchResultSchema = z
  .object({
    model_id: z.uuid(),
    format: z.enum(OUTPUT_FORMATS),
    rows: z.int().describe("Of the output."),
    rows_read: z.int().describe("Of the source: more, where several make one prediction."),
    rows_failed: z.int().describe("Without a prediction; see `on_error`."),
    columns: z.array(outputColumnSchema),
    bytes: z.int(),
    sha256: z.string(),
    url: z
      .string()
      .nullable()
      .describe("A presigned URL to GET the output; null once retention has removed it."),
    expires_in: z.int().describe("Seconds for which the URL is valid; ask again for another."),
    dataset_id: z.uuid().optional().describe("Of the dataset that the output is registered as."),
    warnings: z.array(z.string()).describe("As `predict` gives them, for all rows together."),
  })
  .meta({ id: "BatchPredictionFile" });

const time = z.iso.datetime();

export const batchPredictionSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(JOB_STATUSES),
    model_id: z.uuid(),
    model_name: z.string(),
    source: z.record(z.string(), z.unknown()),
    output: z
      .object({
        format: z.enum(OUTPUT_FORMATS),
        columns: z.array(z.string()).nullable().describe("Of the rows; null = all."),
        prefix: z.string().describe("Of the names of prediction columns."),
        register_dataset: z.string().nullable().describe("The name of the dataset to come."),
      })
      .describe("What becomes of the predictions."),
    intervals: z.boolean().describe("Whether intervals, or sets of classes, are columns too."),
    coverage: z.number().nullable().describe("Of them; null = as the model was trained for."),
    contributions: z.boolean(),
    on_error: z.enum(["fail", "null"]).describe("What becomes of a row that cannot be read."),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    error_message: z.string(),
    ...retryMember,
    progress: batchProgressSchema,
    result: batchResultSchema.optional().describe("Of a completed job."),
    result_uri: z.string().describe("Where the result is, as JSON."),
  })
  .meta({ id: "BatchPrediction" });

export type BatchPrediction = z.infer<typeof batchPredictionSchema>;

export async function toBatchPrediction(
  ctx: AuthedContext,
  job: BatchJobRow,
): Promise<BatchPrediction> {
  const { request, details } = job;
  const result = await toBatchResult(ctx, job);
  return {
    id: job.id,
    name: job.name,
    status: job.status,
    model_id: details.model_id,
    model_name: details.model_name,
    source: { ...request.source },
    output: {
      format: request.format,
      columns: request.columns === null ? null : [...request.columns],
      prefix: request.prefix,
      register_dataset: request.dataset?.name ?? null,
    },
    intervals: request.intervals,
    coverage: request.coverage,
    contributions: request.contributions,
    on_error: request.on_error,
    created_at: job.created_at.toISOString(),
    updated_at: job.updated_at.toISOString(),
    started_at: job.started_at?.toISOString() ?? null,
    finished_at: job.finished_at?.toISOString() ?? null,
    error_message: job.error_message,
    ...toRetry(job),
    progress: toBatchProgress(job),
    ...(result && { result }),
    result_uri: `${ctx.request.baseUrl}/v1/results/${job.id}`,
  };
}

export function toBatchProgress(job: BatchJobRow): z.infer<typeof batchProgressSchema> {
  const { progress } = job;
  return {
    phase: progress?.phase ?? "new",
    rows_done: progress?.rows_done ?? 0,
    rows_total: progress?.rows_total ?? 0,
    rows_per_second: progress?.rows_per_second ?? null,
    seconds: progress?.seconds ?? 0,
    estimate: isOpen(job) ? (progress?.estimate ?? null) : 0,
  };
}

/** Null of a job that is not completed. */
export async function toBatchResult(
  { services, request }: AuthedContext,
  job: BatchJobRow,
): Promise<z.infer<typeof batchResultSchema> | null> {
  const { result, details } = job;
  if (job.status !== "completed" || result === null) return null;
  const { format, dataset } = job.request;
  const url =
    job.pruned_at === null
      ? await services.objects.presign(outputKey(job), {
          expiresInSeconds: URL_SECONDS,
          fileName: `predictions.${outputFormat(format).extension}`,
          baseUrl: request.baseUrl,
        })
      : null;
  return {
    model_id: details.model_id,
    format,
    rows: result.rows,
    rows_read: result.rows_read,
    rows_failed: result.rows_failed,
    columns: [...result.fields],
    bytes: result.bytes,
    sha256: result.sha256,
    url,
    expires_in: URL_SECONDS,
    ...(dataset && { dataset_id: dataset.id }),
    warnings: [...result.warnings],
  };
}
