/** The document job as the API shows it. */

import { z } from "zod";
import { isOpen, JOB_STATUSES } from "../../jobs/job.ts";
import { retryMember, toRetry } from "../../jobs/retry.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import { DOCUMENT_JOB_KINDS, type DocumentJobRow } from "./job.ts";
import { PHASES } from "./progress.ts";

export const jobProgressSchema = z
  .object({
    phase: z.enum(PHASES),
    done: z.int().describe("Documents or questions of the phase."),
    total: z.int(),
    seconds: z.number(),
    estimate: z.number().nullable().describe("Seconds left; null while unknown."),
  })
  .meta({ id: "DocumentJobProgress" });

const time = z.iso.datetime();

export const documentJobSchema = z
  .object({
    job_id: z.uuid(),
    kind: z.enum(DOCUMENT_JOB_KINDS),
    status: z.enum(JOB_STATUSES),
    model_id: modelIdSchema.describe("Of the schema that it makes, or follows."),
    documents: z.int(),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    error_message: z.string(),
    ...retryMember,
    progress: jobProgressSchema,
  })
  .meta({ id: "DocumentJob" });

export type DocumentJob = z.infer<typeof documentJobSchema>;

export function toJob(row: DocumentJobRow): DocumentJob {
  return {
    job_id: row.id,
    kind: row.kind,
    status: row.status,
    model_id: row.details.model_id,
    documents: row.documents.length,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    error_message: row.error_message,
    ...toRetry(row),
    progress: toProgress(row),
  };
}

export function toProgress(row: DocumentJobRow): z.infer<typeof jobProgressSchema> {
  const { progress } = row;
  return {
    phase: progress?.phase ?? "new",
    done: progress?.done ?? 0,
    total: progress?.total ?? row.documents.length,
    seconds: progress?.seconds ?? 0,
    estimate: isOpen(row) ? (progress?.estimate ?? null) : 0,
  };
}
