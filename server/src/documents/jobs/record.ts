/** The document job as the API shows it. */

import { z } from "zod";
import { modelIdSchema } from "../model-id.ts";
import { PHASES } from "./progress.ts";
import { JOB_KINDS, JOB_STATUSES, type JobRow } from "./store.ts";

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
    kind: z.enum(JOB_KINDS),
    status: z.enum(JOB_STATUSES),
    model_id: modelIdSchema.describe("Of the schema that it makes, or follows."),
    documents: z.int(),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    error_message: z.string(),
    progress: jobProgressSchema,
  })
  .meta({ id: "DocumentJob" });

export function toJob(row: JobRow): z.infer<typeof documentJobSchema> {
  return {
    job_id: row.id,
    kind: row.kind,
    status: row.status,
    model_id: row.model_id,
    documents: row.document_ids.length,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    error_message: row.error_message,
    progress: toProgress(row),
  };
}

export function toProgress(row: JobRow): z.infer<typeof jobProgressSchema> {
  const ended = row.status === "completed" || row.status === "failed";
  const { progress } = row;
  return {
    phase: progress?.phase ?? "new",
    done: progress?.done ?? 0,
    total: progress?.total ?? row.document_ids.length,
    seconds: progress?.seconds ?? 0,
    estimate: ended ? 0 : (progress?.estimate ?? null),
  };
}
