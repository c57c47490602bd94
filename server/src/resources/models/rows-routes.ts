/**
 * `predict` and `explain` under `/v1`. Rows are many, so their JSON goes to a thread as it came, and the
 * answer comes back as JSON.
 */

import { z } from "zod";
import { negotiate } from "../../api/http/bodies/accept.ts";
import { JSON_TYPE } from "../../api/http/bodies/answer.ts";
import { LARGE_JSON_LIMIT } from "../../api/http/routing/operation.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import {
  coverageQuery,
  explanationsSchema,
  MOST_ARROW_ROWS,
  MOST_ROWS,
  predictionsSchema,
  rowsSchema,
  segmentsQuery,
} from "../../platform/compute/model-rows.ts";
import type { ModelKinds } from "./kind.ts";
import { modelReferenceSchema } from "./model-id.ts";
import { predictingModel, predictingModelFor } from "./service.ts";

const path = z.object({ model_id: modelReferenceSchema });
const tags = ["Models"];

const ARROW_STREAM = "application/vnd.apache.arrow.stream";
const ARROW_FILE = "application/vnd.apache.arrow.file";
/** Of an Arrow body, unpacked: 1,000,000 rows of 30 numbers. */
const ARROW_LIMIT = 256 * 2 ** 20;

const BYTES = { type: "string", format: "binary" } as const;

const AS_ARROW = `Rows may come as an Arrow IPC stream or file (${ARROW_LIMIT / 2 ** 20} MiB), and are then answered as an Arrow stream, up to ${MOST_ARROW_ROWS.toLocaleString("en")} rows, unless \`Accept\` prefers JSON: \`value\`, \`lower\` and \`upper\`; or \`label\`, \`probability_<class>\` for each class, and \`set\`. The model's id and the warnings (a JSON list) are in the schema's metadata. Models of sequences and forecasts take JSON.`;

/** What rows are to models of each kind. */
export const FRAMED =
  "A model of sequences takes their steps as rows in long form, and answers once per sequence, with its `id`. A forecast takes `history`, `future`, `horizon` and `series`, all of them optional, and answers once per step, with `series` and `time`; `{}` asks for the next steps of every series.";

export const manyRows = (most: number): string =>
  `At most ${most.toLocaleString("en")} rows per request: send more in several requests, a page of rows each.`;

export const predictRoute = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "POST",
      path: "/v1/models/{model_id}/predict",
      summary: "Predict",
      description: `One prediction per row: a value with its interval, or a label with the probabilities of the classes and the set of those that may be true. How often intervals and sets contain the truth was measured out of fold; see \`card.uncertainty\` of the model. ${FRAMED} ${manyRows(MOST_ROWS.predict)} ${AS_ARROW}`,
      tags,
      operationId: "models_predict",
      bodyLimit: LARGE_JSON_LIMIT,
      errors: ["not-found", "conflict", "not-acceptable"],
    },
    scope: "models:read",
    input: z.object({ path, query: z.strictObject({ coverage: coverageQuery }) }),
    request: {
      content: {
        "application/json": { schema: rowsSchema("predict") },
        [ARROW_STREAM]: { schema: BYTES },
        [ARROW_FILE]: { schema: BYTES },
      },
    },
    responses: {
      200: {
        description: "The predictions, in the order of the rows",
        content: {
          "application/json": { schema: predictionsSchema },
          [ARROW_STREAM]: { schema: BYTES },
        },
      },
    },
    async handler({ ctx, input, headers, mediaType, withSharedBytes, jsonBytes }) {
      if (mediaType?.type === ARROW_STREAM || mediaType?.type === ARROW_FILE) {
        const type = negotiate(headers.accept, [ARROW_STREAM, "application/json"]);
        const model = await predictingModel(ctx, kinds, input.path.model_id);
        const answerAs = type === ARROW_STREAM ? "arrow" : "json";
        const answer = await withSharedBytes(ARROW_LIMIT, (body) =>
          ctx.services.compute.predictArrow({ ...model, body, answerAs, ...input.query }),
        );
        const contentType = answerAs === "json" ? JSON_TYPE : type;
        return { body: answer.body, contentType, isOwn: true };
      }
      const rows = await jsonBytes();
      const model = await predictingModelFor(ctx, kinds, input.path.model_id, rows, "predict");
      const { coverage } = input.query;
      const request = { ...model, body: rows, coverage };
      const { body } = await ctx.services.compute.predictBody(request);
      return { body, contentType: JSON_TYPE, isOwn: true };
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
      const rows = await jsonBytes();
      const model = await predictingModelFor(ctx, kinds, input.path.model_id, rows, "explain");
      const { segments } = input.query;
      const request = { ...model, body: rows, segments };
      const { body } = await ctx.services.compute.explainBody(request);
      return { body, contentType: JSON_TYPE, isOwn: true };
    },
  });
