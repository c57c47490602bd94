/** `POST /v1/batch_predictions`: JSON that names the rows, or a file of them. */

import { z } from "zod";
import { isJsonType } from "../../api/http/bodies/body.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { payloadTooLarge } from "../../platform/input/problem.ts";
import { deliveryOf, FILE_CONTENT } from "../datasets/upload.ts";
import type { ModelKinds } from "../models/kind.ts";
import { roomOf } from "../quotas/service.ts";
import { batchFileQuery, batchRequestSchema } from "./request.ts";
import { startBatch, startBatchOfFile } from "./start.ts";

const startedSchema = z.object({
  job_id: z.uuid(),
  dataset_id: z.uuid().optional().describe("Of the dataset to come, where one is registered."),
});

export const createBatchPrediction = (modelKinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "POST",
      path: "/v1/batch_predictions",
      summary: "Create Batch Prediction",
      description:
        "Starts a job that predicts every row of a dataset, a table or a query, or of a file that is the body, with its options in the query. The output is a file (Parquet, CSV or Arrow) and, on demand, a dataset: the columns of the rows, then `prediction` and, of classes, `probability_<class>`; of quantiles and forecasts `quantile_<level>`; where they are asked for, `prediction_lower` and `prediction_upper` or `prediction_set`, and `base_value` and `contribution_<column>`. A model of sequences answers with one row per sequence, a forecast with one per series and step. The output is kept until the job is deleted. Needs models:read beside serving:write, and datasets:read or workspace:read for the rows.",
      tags: ["Batch predictions"],
      operationId: "batchPredictions_create",
      creates: true,
      exactIntegers: true,
      errors: [
        "forbidden",
        "not-found",
        "conflict",
        "payload-too-large",
        "unsupported-media-type",
        "request-timeout",
        "bad-gateway",
        "gateway-timeout",
      ],
    },
    scope: "serving:write",
    input: z.object({ query: batchFileQuery }),
    request: {
      required: true,
      content: {
        "application/json": { schema: batchRequestSchema },
        ...FILE_CONTENT,
        "multipart/form-data": {
          schema: {
            type: "object",
            required: ["file"],
            properties: { file: { type: "string", format: "binary" } },
          },
        },
      },
    },
    responses: {
      200: { description: "The job", content: { "application/json": { schema: startedSchema } } },
    },
    async handler(call) {
      if (call.mediaType !== null && isJsonType(call.mediaType.type)) {
        const request = await call.json(batchRequestSchema);
        return { json: await startBatch(call.ctx, modelKinds, request) };
      }
      const limit = call.ctx.services.config.maxUploadBytes;
      if (Number(call.headers["content-length"] ?? 0) > limit) throw payloadTooLarge(limit);
      const { query } = call.input;
      const { services, auth } = call.ctx;
      const room = await roomOf(services.db, auth.organizationId);
      const admit = (bytes: number) => room.check({ open_jobs: 1, total_bytes: bytes });
      const deliver = deliveryOf(call, { encoding: query.encoding }, admit, ["kinds", "encoding"]);
      return { json: await startBatchOfFile(call.ctx, modelKinds, query, deliver) };
    },
  });
