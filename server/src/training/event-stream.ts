/**
 * `GET /v1/jobs/{job_id}/events`: the log as server-sent events. Ids are the log's sequence, so a
 * client that sends `Last-Event-ID` misses and repeats nothing. The stream ends with `end` when
 * the job has ended.
 */

import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { AuthedContext } from "../http/context.ts";
import { notFound } from "../http/problem.ts";
import { rawRoute } from "../http/raw-route.ts";
import { toProgress } from "./record.ts";
import { findJob, readEvents } from "./store.ts";

const POLL_MS = 400;
/** A comment line now and then keeps proxies from closing a silent stream. */
const HEARTBEAT_MS = 15_000;

/** One message of the stream. */
const eventSchema = z.object({
  id: z.string().optional().describe("Of `run` alone: the entry's sequence."),
  event: z.enum(["run", "progress", "end"]),
  data: z.string().describe("JSON: the log's entry, the progress, or the final status."),
});

export const jobEvents = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/jobs/{job_id}/events",
    summary: "Stream Job Events",
    description:
      "Server-sent events: `run` (an entry of the log; its id is the sequence), `progress`, and `end` with the final status.",
    tags: ["Training"],
    operationId: "jobs_events",
    errors: ["not-found"],
  },
  scope: "training:read",
  input: z.object({
    path: z.object({ job_id: z.uuid() }),
    header: z.object({
      "last-event-id": z
        .string()
        .regex(/^\d{1,9}$/)
        .optional(),
    }),
  }),
  responses: {
    200: {
      description: "The event stream",
      content: { "text/event-stream": { schema: eventSchema } },
    },
  },
  async handler({ ctx, input }) {
    const { job_id } = input.path;
    const job = await findJob(ctx.platform.db, ctx.auth.organizationId, job_id);
    if (!job) throw notFound("job");
    const after = Number(input.header["last-event-id"] ?? 0);
    return {
      body: Readable.from(follow(ctx, job_id, after)),
      contentType: "text/event-stream; charset=utf-8",
      headers: { "x-accel-buffering": "no" },
    };
  },
});

async function* follow(ctx: AuthedContext, jobId: string, after: number): AsyncGenerator<string> {
  const { db } = ctx.platform;
  const { signal } = ctx.request;
  let sequence = after;
  let shown = "";
  let spoke = Date.now();
  while (!signal.aborted) {
    // The job first: events that come after this look are sent on the next round.
    const job = await findJob(db, ctx.auth.organizationId, jobId);
    for (const { sequence: id, event } of await readEvents(db, jobId, sequence)) {
      sequence = id;
      spoke = Date.now();
      yield message("run", event, id);
    }
    if (!job) return;
    const progress = JSON.stringify(toProgress(job));
    if (progress !== shown) {
      shown = progress;
      spoke = Date.now();
      yield message("progress", toProgress(job));
    }
    if (job.status === "completed" || job.status === "failed") {
      yield message("end", { status: job.status, error_message: job.error_message });
      return;
    }
    if (Date.now() - spoke > HEARTBEAT_MS) {
      spoke = Date.now();
      yield ": still at work\n\n";
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function message(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
