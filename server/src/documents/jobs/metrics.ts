/** `GET /v1/jobs/{job_id}/metrics` of a document job. */

import { z } from "zod";
import { JOB_STATUSES } from "../../jobs/job.ts";
import { DOCUMENT_JOB_KINDS, type DocumentJobRow } from "./job.ts";
import { jobProgressSchema, toProgress } from "./record.ts";

export const documentJobMetricsSchema = z
  .object({
    kind: z.enum(DOCUMENT_JOB_KINDS),
    status: z.enum(JOB_STATUSES),
    error_message: z.string(),
    progress: jobProgressSchema,
  })
  .meta({ id: "DocumentJobMetrics" });

export function documentJobMetrics(job: DocumentJobRow): z.infer<typeof documentJobMetricsSchema> {
  const { kind, status, error_message } = job;
  return { kind, status, error_message, progress: toProgress(job) };
}
