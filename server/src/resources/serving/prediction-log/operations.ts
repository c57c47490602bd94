/** Prediction logs over the API: their files, feedback on what is in them, and live scores. */

import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { assertScope } from "../../../api/context/scopes.ts";
import { authed } from "../../../api/http/routing/trpc.ts";
import { CreationPages } from "../../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../../api/paging/page-token.ts";
import { displayName } from "../../../platform/input/display-name.ts";
import { datasetSchema, toDataset } from "../../datasets/record.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { endpointReference } from "../record.ts";
import { requireEndpoint } from "../service.ts";
import { feedbackLabels, feedbackSchema, receiveFeedback } from "./feedback.ts";
import { registerLabelled } from "./labelled-dataset.ts";
import { liveScores, liveScoresSchema } from "./scores.ts";
import { type LogFileRow, listLogFiles } from "./store.ts";
import { logFileKey } from "./stored-log.ts";
import { windowMembers } from "./window.ts";

const URL_SECONDS = 3600;
/** Of a body of feedback: three a label, and the label. */
const MOST_VALUES = 50_000;

const path = { endpoint_id: endpointReference };
const tags = ["Serving"];

const logFileSchema = z
  .object({
    id: z.uuid(),
    rows: z.int().describe("Predictions in it."),
    bytes: z.int(),
    first_at: z.iso.datetime().describe("When its first prediction was made."),
    last_at: z.iso.datetime().describe("When its last prediction was made."),
    expires_at: z.iso.datetime().describe("When it is deleted."),
    created_at: z.iso.datetime(),
    url: z.string().describe("A presigned URL to GET the Parquet file."),
  })
  .meta({ id: "PredictionLogFile" });

export const predictionLogOperations = (kinds: ModelKinds) => ({
  predictionLog: authed("serving:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/serving/endpoints/{endpoint_id}/prediction_log",
        summary: "List Prediction Log of Serving Endpoint",
        description:
          "The Parquet files of the logged predictions, newest first. Each row is a prediction: `prediction_id` and `row`, by which feedback names it; `time`, `model_id`, `request_id` (the caller's `X-Request-Id`), `latency_ms` of its request, `inputs` as they were sent, and `label`, `probabilities` and `set`, or `value`, `lower`, `upper` and `quantiles`; `coverage` where the request asked for one. What is nested is JSON text. All files have the same columns. A file is written when a minute is over, or 4 MiB are waiting. It shows what all callers have sent, so it needs the scope `datasets:read` as well.",
        tags,
        errors: ["not-found"],
      },
    })
    .input(z.strictObject({ ...path, ...pageQuery }))
    .output(
      z.object({
        files: z.array(logFileSchema),
        expires_in: z.int().describe("Seconds for which the URLs are valid."),
        next_page_token: nextPageToken,
      }),
    )
    .query(async ({ ctx, input }) => {
      assertScope(ctx, "datasets:read");
      const { organizationId } = ctx.auth;
      const { limit, page_token } = input;
      const { id } = await requireEndpoint(ctx, input.endpoint_id);
      const filter = [organizationId, id];
      const pages = new CreationPages(ctx.services, "prediction_log_files");
      const after = pages.read(filter, page_token);
      const rows = await listLogFiles(ctx.services.db, organizationId, id, limit, after);
      const page = cutPage(rows, limit, (last) => pages.write(filter, last));
      const files = await Promise.all(page.entries.map((row) => toLogFile(ctx, row)));
      return { files, expires_in: URL_SECONDS, next_page_token: page.next_page_token };
    }),

  feedback: authed("serving:read")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/serving/endpoints/{endpoint_id}/feedback",
        summary: "Send Feedback on Predictions",
        description:
          "What turned out to be true of logged predictions, by their `X-Prediction-Id`, whenever it is known: before the log is written, or days later. Sent again, it changes nothing. Where a label cannot be, none is taken.",
        tags,
        errors: ["not-found", "conflict"],
        bodyValues: MOST_VALUES,
      },
    })
    .input(z.strictObject({ ...path, labels: feedbackLabels }))
    .output(feedbackSchema)
    .mutation(({ ctx, input }) => receiveFeedback(ctx, kinds, input.endpoint_id, input.labels)),

  scores: authed("serving:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/serving/endpoints/{endpoint_id}/scores",
        summary: "Get Live Scores of Serving Endpoint",
        description:
          "Each model's metrics on its logged predictions that have a label, by when they were predicted, beside its validation scores. Requests are sampled alike for all models, so models of a split compare; a model that got other rows by sticky keys may have easier ones.",
        tags,
        errors: ["not-found"],
      },
    })
    .input(z.strictObject({ ...path, ...windowMembers }))
    .output(liveScoresSchema)
    .query(({ ctx, input: { endpoint_id, ...window } }) => liveScores(ctx, endpoint_id, window)),

  labelledDataset: authed("datasets:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/serving/endpoints/{endpoint_id}/labelled_dataset",
        summary: "Make Dataset of Labelled Predictions",
        description:
          "A dataset of what was sent for logged predictions and of what feedback says is true, in the column of the label and in the order of time: to train on, or to evaluate other models by the same rows. Columns are read as the endpoint's models read them. At most 50,000 rows; it needs the scope `serving:read` as well.",
        tags,
        resource: "datasets",
        errors: ["not-found", "conflict", "insufficient-storage"],
        creates: true,
      },
    })
    .input(z.strictObject({ ...path, name: displayName(), ...windowMembers }))
    .output(datasetSchema)
    .mutation(async ({ ctx, input: { endpoint_id, ...asked } }) => {
      assertScope(ctx, "serving:read");
      return toDataset(await registerLabelled(ctx, kinds, endpoint_id, asked));
    }),
});

async function toLogFile(
  { services, auth, request }: AuthedContext,
  row: LogFileRow,
): Promise<z.infer<typeof logFileSchema>> {
  const { id, rows, bytes, first_at, last_at, expires_at, created_at } = row;
  return {
    ...{ id, rows, bytes },
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
    expires_at: expires_at.toISOString(),
    created_at: created_at.toISOString(),
    url: await services.objects.presign(logFileKey(auth.organizationId, id), {
      expiresInSeconds: URL_SECONDS,
      fileName: `predictions-${first_at.toISOString().replaceAll(":", "")}.parquet`,
      baseUrl: request.baseUrl,
    }),
  };
}
