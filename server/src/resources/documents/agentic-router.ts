/** Schemas of documents: skills, inducing one, getting one, extracting by one, and the jobs of both. */

import { z } from "zod";
import { LARGE_JSON_LIMIT } from "../../api/http/routing/operation.ts";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { secret } from "../../platform/input/schema-view.ts";
import { questionSchema } from "../../reading/induction/schema.ts";
import { listSkills } from "../../reading/induction/skills/index.ts";
import { JOB_STATUSES } from "../jobs/job.ts";
import { jobOperations, jobPage } from "../jobs/operations.ts";
import { modelIdSchema } from "../models/model-id.ts";
import { extractionKind } from "./extraction/kind.ts";
import { extractRequestSchema } from "./extraction/request.ts";
import { startExtraction } from "./extraction/start.ts";
import { inductionKind } from "./induction/kind.ts";
import { induceRequestSchema } from "./induction/request.ts";
import { startInduction } from "./induction/start.ts";
import { DOCUMENT_JOB_KINDS, type DocumentJobRow } from "./jobs/job.ts";
import { type DocumentJob, documentJobSchema, toJob } from "./jobs/record.ts";
import { labelOperations } from "./labels/router.ts";
import { LIMITS } from "./limits.ts";
import { completedSchema } from "./schemas/service.ts";

const tags = ["Documents"];

const jobs = jobOperations<DocumentJobRow, DocumentJob>({
  kinds: [inductionKind, extractionKind],
  path: "/v1/agentic/documents/jobs",
  title: "Document Job",
  tags,
  called: "job",
  deletion: "Deletes an ended job and its rows; the schema or the dataset that it made stays.",
  schema: documentJobSchema,
  toRecord: (_ctx, job) => toJob(job),
});

const skillRecord = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  document_types: z.array(z.string()),
});

const schemaRecord = z
  .object({
    skill: z.string(),
    use_case: z.string(),
    questions: z.array(questionSchema),
    metadata: z
      .record(z.string(), z.unknown())
      .describe("How the sample was seen, and for each question what the gates measured."),
  })
  .meta({ id: "DocumentSchema" });

export const agenticRouter = router({
  ...labelOperations,

  skills: authed("documents:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/agentic/documents/skills",
        summary: "List Skills",
        description: "What is known about kinds of documents before any is seen.",
        tags,
      },
    })
    .output(z.object({ skills: z.array(skillRecord) }))
    .query(() => ({
      skills: listSkills().map(({ slug, title, description, document_types }) => ({
        slug,
        title,
        description,
        document_types,
      })),
    })),

  induce: authed("documents:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/agentic/documents/induce_schema",
        summary: "Induce Schema",
        description:
          "Studies a sample of documents and freezes a list of questions for documents of that kind and one use case. The answer comes at once; poll GET /v1/results/{job_id}, or GET /v1/models/{schema_id}/status until it is `completed`, then get the schema. The same sample and request give the same schema.",
        bodyLimit: LARGE_JSON_LIMIT,
        tags,
        resource: "jobs",
        creates: true,
        errors: ["not-found", "conflict"],
      },
    })
    .input(induceRequestSchema)
    .output(
      z.object({
        job_id: z.uuid(),
        schema_id: modelIdSchema.describe("The schema's model_id."),
      }),
    )
    .mutation(({ ctx, input }) => startInduction(ctx, input)),

  getSchema: authed("documents:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/agentic/documents/schemas/{model_id}",
        summary: "Get Schema",
        description:
          "The frozen questions of a completed induction; 409 until then. `refresh-token` is accepted for callers that send it, and ignored.",
        requestHeaders: z.object({
          authorization: secret(z.string().optional()),
          "refresh-token": secret(z.string().optional()),
        }),
        tags,
        errors: ["not-found", "conflict"],
      },
    })
    .input(z.strictObject({ model_id: modelIdSchema }))
    .output(z.object({ model_id: modelIdSchema, schema: schemaRecord }))
    .query(async ({ ctx, input }) => {
      const { model_id, schema } = await completedSchema(ctx, input.model_id);
      return { model_id, schema };
    }),

  extract: authed("documents:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/agentic/documents/extract",
        summary: "Extract Answers",
        description:
          "Answers the questions of a completed schema for each document. Poll GET /v1/results/{job_id}: it has a row for each document with the typed value, its confidence, and the page and the span that it came from; as Parquet where Accept asks for application/vnd.apache.parquet. With register_dataset the rows also become a dataset of typed columns, which needs the scope `datasets:write`.",
        bodyLimit: LARGE_JSON_LIMIT,
        bodyValues: LIMITS.extractionValues,
        tags,
        resource: "jobs",
        creates: true,
        errors: ["not-found", "conflict"],
      },
    })
    .input(extractRequestSchema)
    .output(
      z.object({
        job_id: z.uuid(),
        dataset_id: z
          .uuid()
          .optional()
          .describe("Id of the dataset that exists once the job is completed."),
      }),
    )
    .mutation(({ ctx, input }) => startExtraction(ctx, input)),

  listJobs: authed("documents:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/agentic/documents/jobs",
        summary: "List Document Jobs",
        description: "Inductions and extractions, newest first.",
        tags,
      },
    })
    .input(
      z.strictObject({
        ...pageQuery,
        status: z.enum(JOB_STATUSES).optional(),
        kind: z.enum(DOCUMENT_JOB_KINDS).optional(),
      }),
    )
    .output(z.object({ jobs: z.array(documentJobSchema), next_page_token: nextPageToken }))
    .query(async ({ ctx, input }) => {
      const { limit, page_token, status, kind } = input;
      const { entries, next_page_token } = await jobPage<DocumentJobRow>(ctx, {
        list: "document_jobs",
        kinds: kind === undefined ? DOCUMENT_JOB_KINDS : [kind],
        filter: { status },
        asked: [status ?? null, kind ?? null],
        limit,
        page_token,
      });
      return { jobs: entries.map(toJob), next_page_token };
    }),

  getJob: jobs.get,
  cancelJob: jobs.cancel,
  deleteJob: jobs.delete,
});
