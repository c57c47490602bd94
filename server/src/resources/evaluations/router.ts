/** Evaluations of models on datasets: start, list, get, cancel, delete; their reports are in `report-route.ts`. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { JOB_STATUSES } from "../jobs/job.ts";
import { jobOperations, jobPage } from "../jobs/operations.ts";
import type { ModelKinds } from "../models/kind.ts";
import type { EvaluationJobRow } from "./job.ts";
import { evaluationKind } from "./kind.ts";
import { evaluationSchema, type ShownEvaluation, toEvaluation } from "./record.ts";
import { evaluationRequestSchema } from "./request.ts";
import { startEvaluation } from "./start.ts";

const tags = ["Evaluations"];
const path = "/v1/evaluations";

export const evaluationsRouter = (modelKinds: ModelKinds) =>
  router({
    create: authed("models:write")
      .meta({
        openapi: {
          method: "POST",
          path,
          summary: "Evaluate Models",
          description:
            "Scores models on a dataset whose label is known, as a job: every metric with an interval, slices by columns, calibration, what intervals or sets hold, and each further model against the first on the same rows (paired bootstrap). Needs datasets:read, too. Poll GET /v1/results/{job_id}, then open the report.",
          tags,
          creates: true,
          errors: ["not-found", "conflict"],
        },
      })
      .input(evaluationRequestSchema)
      .output(z.object({ job_id: z.uuid() }))
      .mutation(({ ctx, input }) => startEvaluation(ctx, modelKinds, input)),

    list: authed("models:read")
      .meta({
        openapi: {
          method: "GET",
          path,
          summary: "List Evaluations",
          description: "Newest first.",
          tags,
        },
      })
      .input(
        z.strictObject({
          ...pageQuery,
          status: z.enum(JOB_STATUSES).optional(),
          dataset_id: z.uuid().optional().describe("Evaluations on this dataset."),
        }),
      )
      .output(z.object({ evaluations: z.array(evaluationSchema), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const { limit, page_token, status, dataset_id } = input;
        const { entries, next_page_token } = await jobPage<EvaluationJobRow>(ctx, {
          list: "evaluations",
          kinds: ["evaluation"],
          filter: { status, datasetId: dataset_id },
          asked: [status ?? null, dataset_id ?? null],
          limit,
          page_token,
        });
        return { evaluations: entries.map(toEvaluation), next_page_token };
      }),

    ...jobOperations<EvaluationJobRow, ShownEvaluation>({
      kinds: [evaluationKind],
      path,
      title: "Evaluation",
      tags,
      called: "evaluation",
      deletion: "Deletes an ended evaluation and its report.",
      schema: evaluationSchema,
      toRecord: (_ctx, job) => toEvaluation(job),
    }),
  });
