/**
 * `GET /v1/results/{job_id}`: what a job of any kind has come to. The rows of a result are an object,
 * and go out as they lie there: as JSON, or as Parquet.
 */

import { Readable } from "node:stream";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { negotiate } from "../../api/http/bodies/accept.ts";
import { JSON_TYPE } from "../../api/http/bodies/answer.ts";
import type { Answer } from "../../api/http/routing/call.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { conflict, Problem } from "../../platform/input/problem.ts";
import { type ObjectStore, readText } from "../../platform/objects/object-store.ts";
import { type FoundJob, type JobKinds, requireAnyJob, scopesOf } from "./any-job.ts";
import type { JobRow, JobStatus } from "./job.ts";
import { type JobRetry, toRetry } from "./retry.ts";
import { jobKey } from "./service.ts";

const PARQUET = "application/vnd.apache.parquet";

export function jobResultSchema<Kinds extends JobKinds>(
  kinds: Kinds,
): z.ZodType<z.output<Kinds[number]["resultSchema"]>> {
  type Schema = Kinds[number]["resultSchema"];
  const schemas = kinds.map(({ resultSchema }) => resultSchema) as [Schema, ...Schema[]];
  return z.discriminatedUnion("kind", schemas).meta({ id: "JobResult" });
}

export const jobResult = (kinds: JobKinds) =>
  rawRoute({
    operation: {
      method: "GET",
      path: "/v1/results/{job_id}",
      summary: "Get Result",
      description: `The status of a job and, once completed, what it produced: ${kinds.map(({ makes }) => makes).join(", ")}. The rows come as Parquet where Accept prefers ${PARQUET}: ${columnsOf(kinds)}. ${scopesOf(kinds)}`,
      tags: ["Jobs"],
      operationId: "jobs_result",
      errors: ["forbidden", "not-found", "not-acceptable", "conflict"],
    },
    scope: "any",
    input: z.object({ path: z.object({ job_id: z.uuid() }) }),
    responses: {
      200: {
        description: "The result",
        content: {
          "application/json": { schema: jobResultSchema(kinds) },
          [PARQUET]: { schema: { type: "string", format: "binary" } },
        },
      },
    },
    async handler({ ctx, input, headers }) {
      const found = await requireAnyJob(ctx, kinds, input.path.job_id);
      const others = found.kind.rows ? [PARQUET] : [];
      const type = negotiate(headers.accept, ["application/json", ...others]);
      const { objects } = ctx.services;
      const rows = rowsOf(found);
      if (type === PARQUET) return parquetOf(objects, found.job, rows);
      const summary = await summaryOf(ctx, found);
      if (rows === null) return { json: summary };
      return {
        body: Readable.from(withRows(objects, summary, rows.json), { objectMode: false }),
        contentType: JSON_TYPE,
        headers: { vary: "accept" },
      };
    },
  });

const columnsOf = (kinds: JobKinds): string =>
  kinds.flatMap(({ rows }) => (rows ? [rows.columns] : [])).join("; ");

interface Summary {
  readonly job_id: string;
  readonly kind: string;
  readonly status: JobStatus;
  readonly result?: object;
  readonly error_message?: string;
  readonly retry?: JobRetry;
}

/** Without rows, which are an object of their own. */
async function summaryOf(ctx: AuthedContext, { kind, job }: FoundJob): Promise<Summary> {
  const { status, error_message } = job;
  const { result, ...more } = await kind.toResult(job, ctx);
  return {
    job_id: job.id,
    kind: kind.name,
    status,
    ...more,
    ...(status === "completed" && { result }),
    ...(status === "failed" && { error_message }),
    ...toRetry(job),
  };
}

interface RowKeys {
  readonly json: string;
  readonly parquet: string;
}

/** Keys of the rows; null where there are none, or not yet. */
function rowsOf({ kind: { area, rows }, job }: FoundJob): RowKeys | null {
  if (!rows || job.status !== "completed") return null;
  return { json: jobKey(area, job, rows.json), parquet: jobKey(area, job, rows.parquet) };
}

/** The whole as one value. @throws 403, 404 */
export async function resultOf(ctx: AuthedContext, kinds: JobKinds, id: string): Promise<Summary> {
  const found = await requireAnyJob(ctx, kinds, id);
  const rows = rowsOf(found);
  const summary = await summaryOf(ctx, found);
  if (rows === null) return summary;
  const content: unknown = JSON.parse(await readText(ctx.services.objects.get(rows.json)));
  return { ...summary, result: { ...summary.result, rows: content } };
}

/** The rows are JSON already: they are put into their place as they come. */
async function* withRows(
  objects: ObjectStore,
  { result, ...rest }: Summary,
  key: string,
): AsyncGenerator<Uint8Array> {
  const before = JSON.stringify({ ...rest, result: result ?? {} }).slice(0, -"}}".length);
  yield Buffer.from(`${before}${before.endsWith("{") ? "" : ","}"rows":`);
  yield* objects.get(key);
  yield Buffer.from("}}");
}

function parquetOf(objects: ObjectStore, job: JobRow, rows: RowKeys | null): Answer {
  if (rows === null) {
    const { status, error_message: why } = job;
    if (status === "failed") throw conflict(`The job failed and has no rows: ${why}`);
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
