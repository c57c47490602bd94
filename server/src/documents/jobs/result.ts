/** What a document job has come to, for `GET /v1/results/{job_id}`. */

import { z } from "zod";
import type { AuthedContext } from "../../http/context.ts";
import { modelIdSchema } from "../model-id.ts";
import { documentJobKey, ROWS_JSON, ROWS_PARQUET } from "../object-keys.ts";
import { rowSchema } from "../results/rows.ts";
import { jobProgressSchema, toProgress } from "./record.ts";
import { findJob, JOB_STATUSES, type JobRow } from "./store.ts";

const warnings = z.array(z.string()).describe("Such as documents that could not be read.");

export const inductionResultSchema = z
  .object({
    job_id: z.uuid(),
    kind: z.literal("induction"),
    status: z.enum(JOB_STATUSES),
    progress: jobProgressSchema,
    result: z
      .object({
        model_id: modelIdSchema.describe("Of the schema: get it by this id."),
        questions: z.int(),
        hash: z.string(),
        warnings,
      })
      .optional(),
    error_message: z.string().optional(),
  })
  .meta({ id: "InductionResult" });

const extractionOutcome = z.object({
  model_id: modelIdSchema.describe("Of the schema."),
  rows: z.array(rowSchema).describe("One a document, in the order of the request."),
  dataset_id: z.uuid().optional(),
  warnings,
});

export const extractionResultSchema = z
  .object({
    job_id: z.uuid(),
    kind: z.literal("extraction"),
    status: z.enum(JOB_STATUSES),
    progress: jobProgressSchema,
    result: extractionOutcome.optional(),
    error_message: z.string().optional(),
  })
  .meta({ id: "ExtractionResult" });

export type InductionResult = z.infer<typeof inductionResultSchema>;
/** Without its rows, which are an object of their own. */
export type ExtractionSummary = Omit<z.infer<typeof extractionResultSchema>, "result"> & {
  readonly result?: Omit<z.infer<typeof extractionOutcome>, "rows">;
};

export interface DocumentJobResult {
  readonly summary: InductionResult | ExtractionSummary;
  /** Keys of the rows, once an extraction is completed. */
  readonly rows: { readonly json: string; readonly parquet: string } | null;
}

/** Null where the organization has no such document job. */
export async function documentJobResult(
  ctx: AuthedContext,
  id: string,
): Promise<DocumentJobResult | null> {
  const job = await findJob(ctx.platform.db, ctx.auth.organizationId, id);
  if (!job) return null;
  const key = (file: string): string => documentJobKey(ctx.auth.organizationId, id, file);
  return {
    summary: summaryOf(job),
    rows:
      job.kind === "extraction" && job.status === "completed"
        ? { json: key(ROWS_JSON), parquet: key(ROWS_PARQUET) }
        : null,
  };
}

function summaryOf(job: JobRow): DocumentJobResult["summary"] {
  const { kind, status, model_id, result } = job;
  const base = {
    job_id: job.id,
    status,
    progress: toProgress(job),
    ...(status === "failed" && { error_message: job.error_message }),
  };
  const said = [...(result?.warnings ?? [])];
  if (kind === "induction") {
    const { questions = 0, hash = "" } = result ?? {};
    const made = { model_id, questions, hash, warnings: said };
    return { ...base, kind, ...(status === "completed" && { result: made }) };
  }
  const dataset = result?.dataset_id;
  const made = { model_id, ...(dataset && { dataset_id: dataset }), warnings: said };
  return { ...base, kind, ...(status === "completed" && { result: made }) };
}
