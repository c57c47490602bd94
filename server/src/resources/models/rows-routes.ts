/**
 * `predict` and `explain` under `/v1`. Rows are many, so their JSON goes to a thread as it came, and the
 * answer comes back as JSON.
 */

import { z } from "zod";
import { JSON_TYPE } from "../../api/http/bodies/answer.ts";
import { LARGE_JSON_LIMIT } from "../../api/http/routing/operation.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import {
  coverageQuery,
  explanationsSchema,
  MOST_ROWS,
  predictionsSchema,
  rowsSchema,
  segmentsQuery,
} from "../../platform/compute/model-rows.ts";
import type { ModelKinds } from "./kind.ts";
import { modelIdSchema } from "./model-id.ts";
import { predictingFolderFor } from "./service.ts";

const path = z.object({ model_id: modelIdSchema });
const tags = ["Models"];

const FRAMED =
  "A model of sequences takes their steps as rows in long form, and answers once per sequence, with its `id`. A forecast takes `history`, `future`, `horizon` and `series`, all of them optional, and answers once per step, with `series` and `time`; `{}` asks for the next steps of every series.";

const manyRows = (most: number): string =>
  `At most ${most.toLocaleString("en")} rows per request: send more in several requests, a page of rows each.`;

export const predictRoute = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "POST",
      path: "/v1/models/{model_id}/predict",
      summary: "Predict",
      description: `One prediction per row: a value with its interval, or a label with the probabilities of the classes and the set of those that may be true. How often intervals and sets contain the truth was measured out of fold; see \`card.uncertainty\` of the model. ${FRAMED} ${manyRows(MOST_ROWS.predict)}`,
      tags,
      operationId: "models_predict",
      bodyLimit: LARGE_JSON_LIMIT,
      errors: ["not-found", "conflict"],
    },
    scope: "models:read",
    input: z.object({ path, query: z.strictObject({ coverage: coverageQuery }) }),
    request: { content: { "application/json": { schema: rowsSchema("predict") } } },
    responses: {
      200: {
        description: "The predictions, in the order of the rows",
        content: { "application/json": { schema: predictionsSchema } },
      },
    },
    async handler({ ctx, input, jsonBytes }) {
      const { model_id: modelId } = input.path;
      const rows = await jsonBytes();
      const folder = await predictingFolderFor(ctx, kinds, modelId, rows, "predict");
      const { coverage } = input.query;
      const request = { modelId, folder, body: rows, coverage };
      return { body: await ctx.services.compute.predictBody(request), contentType: JSON_TYPE };
    },
  });

export const explainRoute = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "POST",
      path: "/v1/models/{model_id}/explain",
      summary: "Explain",
      description: `Contributions of each column to each prediction; with base_value they add up to it. \`segments\` asks of one sequence also what each stretch of time adds. ${FRAMED} ${manyRows(MOST_ROWS.explain)}`,
      tags,
      operationId: "models_explain",
      bodyLimit: LARGE_JSON_LIMIT,
      errors: ["not-found", "conflict"],
    },
    scope: "models:read",
    input: z.object({ path, query: z.strictObject({ segments: segmentsQuery }) }),
    request: { content: { "application/json": { schema: rowsSchema("explain") } } },
    responses: {
      200: {
        description: "The explanations, in the order of the rows",
        content: { "application/json": { schema: explanationsSchema } },
      },
    },
    async handler({ ctx, input, jsonBytes }) {
      const { model_id: modelId } = input.path;
      const rows = await jsonBytes();
      const folder = await predictingFolderFor(ctx, kinds, modelId, rows, "explain");
      const { segments } = input.query;
      const request = { modelId, folder, body: rows, segments };
      return { body: await ctx.services.compute.explainBody(request), contentType: JSON_TYPE };
    },
  });
