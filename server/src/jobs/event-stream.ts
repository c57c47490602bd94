/**
 * `GET /v1/jobs/{job_id}/events`: a job as server-sent events. Ids are the sequence of a training
 * job's log, so a client that sends `Last-Event-ID` misses and repeats nothing. The stream ends with
 * `end` when the job has ended.
 */

import { Readable } from "node:stream";
import { z } from "zod";
import {
  type DocumentJobMessage,
  documentJobMetrics,
  followDocumentJob,
} from "../documents/watched-jobs.ts";
import { rawRoute } from "../http/raw-route.ts";
import { findTrainingJob, followTraining, type TrainingMessage } from "../training/watched-jobs.ts";
import { KIND_SCOPES, ofKind } from "./kinds.ts";

type Message = TrainingMessage | DocumentJobMessage;

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
    description: `Server-sent events: \`run\` (an entry of a training job's log; its id is the sequence), \`progress\`, and \`end\` with the final status. ${KIND_SCOPES}`,
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
    const { job_id } = input.path;
    const after = Number(input.header["last-event-id"] ?? 0);
    const { platform, auth } = ctx;
    const messages = await ofKind<AsyncIterable<Message>>(ctx, {
      training: async () => {
        const job = await findTrainingJob(platform.db, auth.organizationId, job_id);
        return job && followTraining(ctx, job_id, after);
      },
      documents: async () =>
        (await documentJobMetrics(ctx, job_id)) && followDocumentJob(ctx, job_id),
    });
    return {
      body: Readable.from(asText(messages)),
      contentType: "text/event-stream; charset=utf-8",
      headers: { "x-accel-buffering": "no" },
    };
  },
});

async function* asText(messages: AsyncIterable<Message>): AsyncGenerator<string> {
  let spoke = Date.now();
  for await (const message of messages) {
    if (message.event !== "idle") {
      spoke = Date.now();
      const id = "id" in message ? `id: ${message.id}\n` : "";
      yield `${id}event: ${message.event}\ndata: ${JSON.stringify(message.data)}\n\n`;
    } else if (Date.now() - spoke > HEARTBEAT_MS) {
      spoke = Date.now();
      yield ": still at work\n\n";
    }
  }
}
