/** The operations that the jobs of an area have in common: a page of them, get, cancel, delete. */

import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { authed } from "../../api/http/routing/trpc.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage } from "../../api/paging/page-token.ts";
import type { JobRow } from "./job.ts";
import type { JobKind } from "./kind.ts";
import { cancelJob, removeJob, requireJob } from "./service.ts";
import { type JobFilter, listJobs } from "./store.ts";

export interface JobOperations<Row extends JobRow, Shown> {
  /** Of one area. */
  readonly kinds: readonly [JobKind<Row>, ...JobKind<Row>[]];
  /** Where the list of them is. */
  readonly path: `/v1/${string}`;
  /** Such as `Training Job`. */
  readonly title: string;
  readonly tags: string[];
  /** What a 404 calls a job that is to be changed. */
  readonly called: string;
  /** What goes with a job that is deleted, and what stays. */
  readonly deletion: string;
  readonly schema: z.ZodType<Shown>;
  readonly toRecord: (ctx: AuthedContext, job: Row) => Shown | Promise<Shown>;
}

/** To be put into the area's router, under the names that its operations are to have. */
export function jobOperations<Row extends JobRow, Shown>({
  kinds,
  path,
  title,
  tags,
  called,
  deletion,
  schema,
  toRecord,
}: JobOperations<Row, Shown>) {
  const { read, write } = kinds[0].area;
  const input = z.strictObject({ job_id: z.uuid() });
  return {
    get: authed(read)
      .meta({
        openapi: {
          method: "GET",
          path: `${path}/{job_id}`,
          summary: `Get ${title}`,
          tags,
          errors: ["not-found"],
        },
      })
      .input(input)
      .output(schema)
      .query(async ({ ctx, input: { job_id } }) =>
        toRecord(ctx, await requireJob(ctx, kinds, job_id)),
      ),

    cancel: authed(write)
      .meta({
        openapi: {
          method: "POST",
          path: `${path}/{job_id}/cancel`,
          summary: `Cancel ${title}`,
          description: "The job ends as failed, with an error_message that says it was cancelled.",
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(input)
      .output(schema)
      .mutation(async ({ ctx, input: { job_id } }) =>
        toRecord(ctx, await cancelJob(ctx, kinds, job_id, called)),
      ),

    delete: authed(write)
      .meta({
        openapi: {
          method: "DELETE",
          path: `${path}/{job_id}`,
          summary: `Delete ${title}`,
          description: deletion,
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(input)
      .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
      .mutation(async ({ ctx, input: { job_id } }) => {
        await removeJob(ctx, kinds, job_id, called);
        return { id: job_id, deleted: true };
      }),
  };
}

export interface JobPageRequest<Row extends JobRow> {
  /** Names the list, as its tokens are bound to it. */
  readonly list: string;
  readonly kinds: readonly Row["kind"][];
  readonly filter: JobFilter;
  /** What the list was asked with besides its page, as its tokens are bound to that. */
  readonly asked: readonly unknown[];
  readonly limit: number;
  readonly page_token?: string | undefined;
}

/** A page of jobs, newest first. @throws 422 for a token of another list */
export async function jobPage<Row extends JobRow>(
  { services, auth: { organizationId } }: AuthedContext,
  { list, kinds, filter, asked, limit, page_token }: JobPageRequest<Row>,
): Promise<{ readonly entries: readonly Row[]; readonly next_page_token: string | null }> {
  const bound = [organizationId, ...asked];
  const pages = new CreationPages(services, list);
  const after = pages.read(bound, page_token);
  const rows = await listJobs<Row>(services.db, organizationId, kinds, filter, { limit, after });
  return cutPage(rows, limit, (last) => pages.write(bound, last));
}
