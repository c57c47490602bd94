/** Training: start a run, list, get, cancel and delete jobs. Metrics and results are of all jobs (`jobs/`). */

import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { moment } from "../../platform/input/moment.ts";
import { JOB_STATUSES } from "../jobs/job.ts";
import { jobOperations, jobPage } from "../jobs/operations.ts";
import type { JobFilter } from "../jobs/service.ts";
import type { ModelKinds } from "../models/kind.ts";
import type { TrainingJobRow } from "./job.ts";
import { trainingKind } from "./kind.ts";
import { trainerOptions, trainerOptionsSchema } from "./options.ts";
import { type TrainingJob, toRecord, trainingJobSchema } from "./record.ts";
import { ReportLinks } from "./report-link.ts";
import { trainerRunSchema } from "./request.ts";
import { startRun } from "./service.ts";

const tags = ["Training"];

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
  created_from: moment.optional().describe("Jobs created at this time or later, ISO 8601."),
  created_before: moment.optional().describe("Jobs created before this time, ISO 8601."),
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

const toShown = (ctx: AuthedContext, job: TrainingJobRow): TrainingJob =>
  toRecord(job, new ReportLinks(ctx.services).uri(job, ctx.request.baseUrl));

/** @param modelKinds whose ids no name may be */
export const trainingRouter = (modelKinds: ModelKinds) =>
  router({
    run: authed("training:write")
      .meta({
        openapi: {
          method: "POST",
          path: "/v1/trainer/run",
          summary: "Trainer Run",
          description:
            "Searches hyper-parameters across a matrix of model families for a registered dataset and creates a training job. Needs datasets:read beside training:write, and models:read for a teacher_model_id.",
          tags,
          resource: "training_jobs",
          creates: true,
          errors: ["not-found"],
        },
      })
      .input(trainerRunSchema)
      .output(z.object({ job_id: z.uuid(), dataset_id: z.uuid() }))
      .mutation(({ ctx, input }) => startRun(ctx, modelKinds, input)),

    options: authed("training:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/trainer/options",
          summary: "Get Trainer Options",
          description:
            "The kinds of task with the metrics, the families and the members of `task` that fit each.",
          tags,
        },
      })
      .output(trainerOptionsSchema)
      .query(() => trainerOptions()),

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
      .input(jobsQuery)
      .output(
        z.object({ training_jobs: z.array(trainingJobSchema), next_page_token: nextPageToken }),
      )
      .query(async ({ ctx, input }) => {
        const { limit, page_token, ...asked } = input;
        const { entries, next_page_token } = await jobPage<TrainingJobRow>(ctx, {
          list: "training_jobs",
          kinds: ["training"],
          filter: toFilter(asked),
          asked: [asked],
          limit,
          page_token,
        });
        return { training_jobs: entries.map((job) => toShown(ctx, job)), next_page_token };
      }),

    ...jobOperations<TrainingJobRow, TrainingJob>({
      kinds: [trainingKind],
      path: "/v1/training_jobs",
      title: "Training Job",
      tags,
      called: "training job",
      deletion: "Deletes an ended job and its log; its model stays.",
      schema: trainingJobSchema,
      toRecord: toShown,
    }),
  });
