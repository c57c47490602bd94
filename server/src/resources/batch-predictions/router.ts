/** Batch predictions: list, get, cancel, delete. Starting one is a raw route, which takes files too. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { JOB_STATUSES } from "../jobs/job.ts";
import { jobOperations, jobPage } from "../jobs/operations.ts";
import type { BatchJobRow } from "./job.ts";
import { batchPredictionKind } from "./kind.ts";
import { type BatchPrediction, batchPredictionSchema, toBatchPrediction } from "./record.ts";

const tags = ["Batch predictions"];

const query = z.strictObject({
  ...pageQuery,
  status: z.enum(JOB_STATUSES).optional().describe("Jobs in this state."),
});

export const batchPredictionsRouter = router({
  list: authed(batchPredictionKind.area.read)
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/batch_predictions",
        summary: "List Batch Predictions",
        description: "Newest first.",
        tags,
      },
    })
    .input(query)
    .output(
      z.object({
        batch_predictions: z.array(batchPredictionSchema).describe("The jobs of this page."),
        next_page_token: nextPageToken,
      }),
    )
    .query(async ({ ctx, input }) => {
      const { limit, page_token, status } = input;
      const { entries, next_page_token } = await jobPage<BatchJobRow>(ctx, {
        list: "batch_predictions",
        kinds: ["batch_prediction"],
        filter: { status },
        asked: [status ?? null],
        limit,
        page_token,
      });
      const shown = entries.map((job) => toBatchPrediction(ctx, job));
      return { batch_predictions: await Promise.all(shown), next_page_token };
    }),

  ...jobOperations<BatchJobRow, BatchPrediction>({
    kinds: [batchPredictionKind],
    path: "/v1/batch_predictions",
    title: "Batch Prediction",
    tags,
    called: "batch prediction",
    deletion: "Deletes an ended job and its output; a dataset that it registered stays.",
    schema: batchPredictionSchema,
    toRecord: toBatchPrediction,
  }),
});
