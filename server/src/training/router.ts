/** Training: start a run, list, get, cancel and delete jobs. Metrics and results are of all jobs (`jobs/`). */

import { z } from "zod";
import type { AuthedContext } from "../http/context.ts";
import { CreationPages } from "../http/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../http/page-token.ts";
import { authed, router } from "../http/trpc.ts";
import { JOB_STATUSES } from "../jobs/job.ts";
import { cancelJob, type JobFilter, listJobs, removeJob, requireJob } from "../jobs/service.ts";
import type { TrainingJobRow } from "./job.ts";
import { trainingKind } from "./kind.ts";
import { type TrainingJob, toRecord, trainingJobSchema } from "./record.ts";
import { ReportLinks } from "./report-link.ts";
import { trainerRunSchema } from "./request.ts";
import { startRun } from "./service.ts";

const path = z.object({ job_id: z.uuid() });
const tags = ["Training"];

const time = z.iso.datetime({ offset: true });

const jobsQuery = z.strictObject({
  ...pageQuery,
  status: z.enum(JOB_STATUSES).optional().describe("Jobs in this state."),
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Jobs of this name; with `*` at its end, of names that begin so."),
  tag: z
    .array(z.string().min(1).max(500))
    .max(20)
    .optional()
    .describe(
      "Jobs with this key among their job_tags, or, as `key:value`, with this value of it. Repeated: with all of them.",
    ),
  dataset_id: z.uuid().optional().describe("Jobs that trained on this dataset."),
  created_from: time.optional().describe("Jobs created at this time or later, ISO 8601."),
  created_before: time.optional().describe("Jobs created before this time, ISO 8601."),
});

type JobsQuery = Omit<z.output<typeof jobsQuery>, "limit" | "page_token">;

function toFilter({ status, name, tag, dataset_id, ...times }: JobsQuery): JobFilter {
  const isPrefix = name?.endsWith("*") ?? false;
  return {
    status,
    ...(name === undefined
      ? {}
      : { name: { text: name.slice(0, isPrefix ? -1 : undefined), isPrefix } }),
    tags: tag?.map((text) => {
      const colon = text.indexOf(":");
      return colon < 0
        ? { key: text, value: null }
        : { key: text.slice(0, colon), value: text.slice(colon + 1) };
    }),
    datasetId: dataset_id,
    createdFrom: times.created_from,
    createdBefore: times.created_before,
  };
}

const KINDS = [trainingKind];

function recordFor(ctx: AuthedContext): (job: TrainingJobRow) => TrainingJob {
  const links = new ReportLinks(ctx.platform);
  return (job) => toRecord(job, links.uri(job, ctx.request.baseUrl));
}

export const trainingRouter = router({
  run: authed("training:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/trainer/run",
        summary: "Trainer Run",
        description:
          "Searches hyper-parameters across a matrix of model families for a registered dataset and creates a training job.",
        tags,
        creates: true,
        errors: ["not-found"],
      },
    })
    .input(z.object({ body: trainerRunSchema }))
    .output(z.object({ job_id: z.uuid(), dataset_id: z.uuid() }))
    .mutation(({ ctx, input }) => startRun(ctx, input.body)),

  list: authed("training:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/training_jobs",
        summary: "List Training Jobs",
        description: "Newest first; those for which all filters hold.",
        tags,
      },
    })
    .input(z.object({ query: jobsQuery }))
    .output(z.object({ training_jobs: z.array(trainingJobSchema), next_page_token: nextPageToken }))
    .query(async ({ ctx, input }) => {
      const { organizationId } = ctx.auth;
      const { limit, page_token, ...asked } = input.query;
      const bound = [organizationId, asked];
      const pages = new CreationPages(ctx.platform, "training_jobs");
      const after = pages.read(bound, page_token);
      const page = { limit, after };
      const rows = await listJobs<TrainingJobRow>(
        ctx.platform.db,
        organizationId,
        ["training"],
        toFilter(asked),
        page,
      );
      const cut = cutPage(rows, limit, (last) => pages.write(bound, last));
      return {
        training_jobs: cut.entries.map(recordFor(ctx)),
        next_page_token: cut.next_page_token,
      };
    }),

  get: authed("training:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/training_jobs/{job_id}",
        summary: "Get Training Job",
        tags,
        errors: ["not-found"],
      },
    })
    .input(z.object({ path }))
    .output(trainingJobSchema)
    .query(async ({ ctx, input }) =>
      recordFor(ctx)(await requireJob<TrainingJobRow>(ctx, KINDS, input.path.job_id)),
    ),

  cancel: authed("training:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/training_jobs/{job_id}/cancel",
        summary: "Cancel Training Job",
        description: "The job ends as failed, with an error_message that says it was cancelled.",
        tags,
        errors: ["not-found", "conflict"],
      },
    })
    .input(z.object({ path }))
    .output(trainingJobSchema)
    .mutation(async ({ ctx, input }) =>
      recordFor(ctx)(
        await cancelJob<TrainingJobRow>(ctx, KINDS, input.path.job_id, "training job"),
      ),
    ),

  delete: authed("training:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/v1/training_jobs/{job_id}",
        summary: "Delete Training Job",
        description: "Deletes an ended job and its log; its model stays.",
        tags,
        errors: ["not-found", "conflict"],
      },
    })
    .input(z.object({ path }))
    .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      await removeJob<TrainingJobRow>(ctx, KINDS, input.path.job_id, "training job");
      return { id: input.path.job_id, deleted: true };
    }),
});
