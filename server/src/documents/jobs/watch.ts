/** A document job for people who look: its metrics, and its progress as it goes. */

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { AuthedContext } from "../../http/context.ts";
import { jobProgressSchema, toProgress } from "./record.ts";
import { findJob, JOB_KINDS, JOB_STATUSES } from "./store.ts";

export const documentJobMetricsSchema = z
  .object({
    kind: z.enum(JOB_KINDS),
    status: z.enum(JOB_STATUSES),
    error_message: z.string(),
    progress: jobProgressSchema,
  })
  .meta({ id: "DocumentJobMetrics" });

/** Null where the organization has no such document job. */
export async function documentJobMetrics(
  ctx: AuthedContext,
  id: string,
): Promise<z.infer<typeof documentJobMetricsSchema> | null> {
  const job = await findJob(ctx.platform.db, ctx.auth.organizationId, id);
  if (!job) return null;
  const { kind, status, error_message } = job;
  return { kind, status, error_message, progress: toProgress(job) };
}

const POLL_MS = 400;

export type DocumentJobMessage =
  | { readonly event: "progress" | "end"; readonly data: unknown }
  /** Nothing new. */
  | { readonly event: "idle" };

/** Each change of the progress, until the job has ended or nobody listens any more. */
export async function* followDocumentJob(
  ctx: AuthedContext,
  id: string,
): AsyncGenerator<DocumentJobMessage> {
  const { signal } = ctx.request;
  let shown = "";
  while (!signal.aborted) {
    const job = await documentJobMetrics(ctx, id);
    if (job === null) return;
    const text = JSON.stringify(job.progress);
    if (text !== shown) yield { event: "progress", data: job.progress };
    else yield { event: "idle" };
    shown = text;
    const { status, error_message } = job;
    if (status === "completed" || status === "failed") {
      yield { event: "end", data: { status, error_message } };
      return;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
