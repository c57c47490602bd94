/**
 * `GET /v1/jobs/{job_id}/events`: a job as server-sent events. Ids are the sequence of the job's log,
 * so a client that sends `Last-Event-ID` misses and repeats nothing. The stream ends with `end` when
 * the job has ended.
 */

import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { type FoundJob, type JobKinds, requireAnyJob, scopesOf } from "./any-job.ts";
import { isOpen } from "./job.ts";
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

type Message =
  /** An entry of the log; ids are its sequence. */
  | { readonly event: "run"; readonly id: number; readonly data: unknown }
  | { readonly event: "progress" | "end"; readonly data: unknown }
  /** Nothing new. */
  | { readonly event: "idle" };

export const jobEvents = (kinds: JobKinds) =>
  rawRoute({
    operation: {
      method: "GET",
      path: "/v1/jobs/{job_id}/events",
      summary: "Stream Job Events",
      description: `Server-sent events: \`run\` (an entry of ${logged(kinds)} log; its id is the sequence), \`progress\`, and \`end\` with the final status. ${scopesOf(kinds)}`,
      tags: ["Jobs"],
      operationId: "jobs_events",
      errors: ["forbidden", "not-found"],
    },
    scope: "any",
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
      const found = await requireAnyJob(ctx, kinds, input.path.job_id);
      const after = Number(input.header["last-event-id"] ?? 0);
      return {
        body: Readable.from(asText(follow(ctx, found, after))),
        contentType: "text/event-stream; charset=utf-8",
        headers: { "x-accel-buffering": "no" },
      };
    },
  });

/** Such as `a training job's`. */
const logged = (kinds: JobKinds): string =>
  [...new Set(kinds.flatMap(({ area, toEvent }) => (toEvent ? [`${area.aJob}'s`] : [])))].join(
    " or ",
  );

/**
 * Ends when the job has, when it is deleted, when the listener's token does not hold any more, or when
 * nobody listens.
 */
async function* follow(
  ctx: AuthedContext,
  { kind, job: { id, organization_id: organizationId } }: FoundJob,
  after: number,
): AsyncGenerator<Message> {
  const { db } = ctx.services;
  const { signal } = ctx.request;
  let sequence = after;
  let shown = "";
  while (!signal.aborted && (await ctx.request.stillAuthenticated())) {
    // The job first: events that come after this look are sent on the next round.
    const job = await findJob(db, organizationId, [kind.name], id);
    if (kind.toEvent) {
      for (const entry of await readEvents(db, id, sequence)) {
        sequence = entry.sequence;
        yield { event: "run", id: sequence, data: kind.toEvent(entry.event) };
      }
    }
    if (!job) return;
    const progress = kind.toProgress(job);
    const text = JSON.stringify(progress);
    yield text === shown ? { event: "idle" } : { event: "progress", data: progress };
    shown = text;
    if (!isOpen(job)) {
      yield { event: "end", data: { status: job.status, error_message: job.error_message } };
      return;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function* asText(messages: AsyncIterable<Message>): AsyncGenerator<string> {
  let spoke = performance.now();
  for await (const message of messages) {
    if (message.event !== "idle") {
      spoke = performance.now();
      const id = "id" in message ? `id: ${message.id}\n` : "";
      yield `${id}event: ${message.event}\ndata: ${JSON.stringify(message.data)}\n\n`;
    } else if (performance.now() - spoke > HEARTBEAT_MS) {
      spoke = performance.now();
      yield ": still at work\n\n";
    }
  }
}
