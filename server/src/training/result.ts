/** What a training job has come to, for `GET /v1/results/{job_id}`, and its metrics. */

import { z } from "zod";
import type { AuthedContext } from "../http/context.ts";
import { type Metrics, toMetrics } from "./metrics.ts";
import { toRecord } from "./record.ts";
import { ReportLinks } from "./report-link.ts";
import { findJob, JOB_STATUSES, readEvents } from "./store.ts";

export const trainingResultSchema = z
  .object({
    job_id: z.uuid(),
    kind: z.literal("training"),
    status: z.enum(JOB_STATUSES),
    result: z
      .object({
        model_id: z.uuid(),
        model_ids: z.array(z.uuid()),
        metric_names: z.array(z.string()),
        pareto_values: z.array(z.array(z.number().nullable())),
      })
      .optional(),
    error_message: z.string().optional(),
  })
  .meta({ id: "TrainingResult" });

/** Null where the organization has no such training job. */
export async function trainingResult(
  ctx: AuthedContext,
  id: string,
): Promise<z.infer<typeof trainingResultSchema> | null> {
  const job = await findJob(ctx.platform.db, ctx.auth.organizationId, id);
  if (!job) return null;
  const uri = new ReportLinks(ctx.platform).uri(job, ctx.request.baseUrl);
  const { model_id, model_ids, metric_names, pareto_values } = toRecord(job, uri);
  return {
    job_id: job.id,
    kind: "training",
    status: job.status,
    ...(job.status === "completed"
      ? { result: { model_id, model_ids, metric_names, pareto_values } }
      : {}),
    ...(job.status === "failed" ? { error_message: job.error_message } : {}),
  };
}

/** Null where the organization has no such training job. */
export async function trainingMetrics(ctx: AuthedContext, id: string): Promise<Metrics | null> {
  const job = await findJob(ctx.platform.db, ctx.auth.organizationId, id);
  if (!job) return null;
  const events = await readEvents(ctx.platform.db, job.id);
  return toMetrics(
    job,
    events.map(({ event }) => event),
  );
}
