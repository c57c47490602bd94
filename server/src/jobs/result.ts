/**
 * `GET /v1/results/{job_id}`: what a job of any kind has come to. The rows of an extraction are an
 * object, and go out as they lie there: as JSON, or as Parquet.
 */

import { Readable } from "node:stream";
import { z } from "zod";
import {
  type DocumentJobResult,
  documentJobResult,
  extractionResultSchema,
  inductionResultSchema,
} from "../documents/watched-jobs.ts";
import { negotiate } from "../http/accept.ts";
import { JSON_TYPE } from "../http/answer.ts";
import type { Answer } from "../http/call.ts";
import type { AuthedContext } from "../http/context.ts";
import { conflict, Problem } from "../http/problem.ts";
import { rawRoute } from "../http/raw-route.ts";
import { type ObjectStore, readText } from "../objects/object-store.ts";
import { trainingResult, trainingResultSchema } from "../training/watched-jobs.ts";
import { KIND_SCOPES, ofKind } from "./kinds.ts";

const PARQUET = "application/vnd.apache.parquet";

export const jobResultSchema = z
  .discriminatedUnion("kind", [trainingResultSchema, inductionResultSchema, extractionResultSchema])
  .meta({ id: "JobResult" });

const path = z.object({ job_id: z.uuid() });

export const jobResult = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/results/{job_id}",
    summary: "Get Result",
    description: `The status of a job and, once completed, what it produced: the models of a training job, the schema of an induction, the rows of an extraction. The rows come as Parquet where Accept prefers ${PARQUET}: a column for each question and one with its evidence. ${KIND_SCOPES}`,
    tags: ["Jobs"],
    operationId: "jobs_result",
    errors: ["forbidden", "not-found", "not-acceptable", "conflict"],
  },
  scope: "any",
  input: z.object({ path }),
  responses: {
    200: {
      description: "The result",
      content: {
        "application/json": { schema: jobResultSchema },
        [PARQUET]: { schema: { type: "string", format: "binary" } },
      },
    },
  },
  async handler({ ctx, input, headers }) {
    const found = await findResult(ctx, input.path.job_id);
    const type =
      found.summary.kind === "extraction"
        ? negotiate(headers.accept, ["application/json", PARQUET])
        : negotiate(headers.accept, ["application/json"]);
    const { objects } = ctx.platform;
    if (type === PARQUET) return parquetOf(objects, found);
    if (found.rows === null) return { json: found.summary };
    const { result, ...rest } = found.summary;
    return {
      body: Readable.from(withRows(objects, rest, result ?? {}, found.rows.json), {
        objectMode: false,
      }),
      contentType: JSON_TYPE,
      headers: { vary: "accept" },
    };
  },
});

interface FoundResult extends Omit<DocumentJobResult, "summary"> {
  readonly summary: DocumentJobResult["summary"] | z.infer<typeof trainingResultSchema>;
}

/** @throws 403, 404 */
function findResult(ctx: AuthedContext, id: string): Promise<FoundResult> {
  return ofKind<FoundResult>(ctx, {
    training: async () => {
      const summary = await trainingResult(ctx, id);
      return summary && { summary, rows: null };
    },
    documents: () => documentJobResult(ctx, id),
  });
}

/** The whole as one value. @throws 403, 404 */
export async function resultOf(
  ctx: AuthedContext,
  id: string,
): Promise<z.infer<typeof jobResultSchema>> {
  const { summary, rows } = await findResult(ctx, id);
  if (rows === null) return jobResultSchema.parse(summary);
  const content: unknown = JSON.parse(await readText(ctx.platform.objects.get(rows.json)));
  return jobResultSchema.parse({ ...summary, result: { ...summary.result, rows: content } });
}

/** The rows are JSON already: they are put into their place as they come. */
async function* withRows(
  objects: ObjectStore,
  summary: object,
  result: object,
  key: string,
): AsyncGenerator<Uint8Array> {
  const before = JSON.stringify({ ...summary, result }).slice(0, -"}}".length);
  yield Buffer.from(`${before}${before.endsWith("{") ? "" : ","}"rows":`);
  yield* objects.get(key);
  yield Buffer.from("}}");
}

function parquetOf(objects: ObjectStore, { summary, rows }: FoundResult): Answer {
  if (rows === null) {
    const { status, error_message: why } = summary;
    if (status === "failed") throw conflict(`The job failed and has no rows: ${why ?? ""}`);
    throw new Problem(
      "conflict",
      `The job is ${status}; its rows are there once it is completed.`,
      {
        headers: { "retry-after": "1" },
      },
    );
  }
  return {
    body: Readable.from(objects.get(rows.parquet), { objectMode: false }),
    contentType: PARQUET,
    headers: { vary: "accept", "content-disposition": 'attachment; filename="rows.parquet"' },
  };
}
