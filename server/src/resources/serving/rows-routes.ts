/** `predict` and `explain` of an endpoint: as of a model, answered by the one that the split says. */

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
import type { ModelKinds } from "../models/kind.ts";
import { FRAMED, manyRows } from "../models/rows-routes.ts";
import { answerByEndpoint, askPredictions } from "./answering.ts";
import { endpointReference } from "./record.ts";

const path = z.object({ endpoint_id: endpointReference });
const tags = ["Serving"];

const requestKey = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe(
    "What stays with its model, such as a user's id: requests with the same key are answered by the same model as long as the split is the same, and by as few others as possible when it changes. The query's goes before the header's. Default: by chance, as the traffic says.",
  );
export const keyQuery = { key: requestKey };
export const keyHeader = z.object({ "x-request-key": requestKey });
/** Whatever else is sent as one is not logged. */
const OWN_ID = /^[\x21-\x7e]{1,128}$/;
/** Of a request for predictions. */
export const logged = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  coverage: number | undefined,
) => {
  const id = headers["x-request-id"];
  const requestId = typeof id === "string" && OWN_ID.test(id) ? id : null;
  return { requestId, coverage: coverage ?? null };
};
export const predictionIdHeader = z.object({
  "X-Prediction-Id": z
    .string()
    .describe("Where the endpoint has logged the predictions: what feedback on them is sent with."),
});

const STICKY = "`model_id` of the answer says which model answered.";

export const predictByEndpoint = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "POST",
      path: "/v1/serving/endpoints/{endpoint_id}/predict",
      summary: "Predict by Serving Endpoint",
      description: `As Predict of a model. ${STICKY} Where the endpoint logs the request, \`X-Prediction-Id\` says under which id. ${FRAMED} ${manyRows(MOST_ROWS.predict)}`,
      tags,
      operationId: "serving_predict",
      bodyLimit: LARGE_JSON_LIMIT,
      errors: ["not-found", "conflict"],
      responseHeaders: predictionIdHeader,
    },
    scope: "serving:read",
    input: z.object({
      path,
      query: z.strictObject({ coverage: coverageQuery, ...keyQuery }),
      header: keyHeader,
    }),
    request: { content: { "application/json": { schema: rowsSchema("predict") } } },
    responses: {
      200: {
        description: "The predictions, in the order of the rows",
        content: { "application/json": { schema: predictionsSchema } },
      },
    },
    async handler({ ctx, input, headers: sent, jsonBytes }) {
      const { coverage } = input.query;
      const { compute } = ctx.services;
      const { answer, headers } = await answerByEndpoint(ctx, kinds, {
        ...asked(input),
        route: "predict",
        body: await jsonBytes(),
        checkBody: (body) => compute.checkBody(body, "predict"),
        ask: askPredictions(ctx.services, coverage),
        log: logged(sent, coverage),
        compare: (shadow, body, given) =>
          compute.compareBody({ ...shadow, body, answer: given.body }),
      });
      return { body: answer.body, contentType: JSON_TYPE, headers };
    },
  });

export const explainByEndpoint = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "POST",
      path: "/v1/serving/endpoints/{endpoint_id}/explain",
      summary: "Explain by Serving Endpoint",
      description: `As Explain of a model. ${STICKY} A shadow model is not asked. ${FRAMED} ${manyRows(MOST_ROWS.explain)}`,
      tags,
      operationId: "serving_explain",
      bodyLimit: LARGE_JSON_LIMIT,
      errors: ["not-found", "conflict"],
    },
    scope: "serving:read",
    input: z.object({
      path,
      query: z.strictObject({ segments: segmentsQuery, ...keyQuery }),
      header: keyHeader,
    }),
    request: { content: { "application/json": { schema: rowsSchema("explain") } } },
    responses: {
      200: {
        description: "The explanations, in the order of the rows",
        content: { "application/json": { schema: explanationsSchema } },
      },
    },
    async handler({ ctx, input, jsonBytes }) {
      const { segments } = input.query;
      const { compute } = ctx.services;
      const { answer } = await answerByEndpoint(ctx, kinds, {
        ...asked(input),
        route: "explain",
        body: await jsonBytes(),
        checkBody: (body) => compute.checkBody(body, "explain"),
        ask: async (model, body) => ({
          ...(await compute.explainBody({ ...model, body, segments })),
          logged: null,
        }),
        log: null,
        compare: null,
      });
      return { body: answer.body, contentType: JSON_TYPE };
    },
  });

function asked(input: {
  readonly path: { readonly endpoint_id: string };
  readonly query: { readonly key?: string | undefined };
  readonly header: { readonly "x-request-key"?: string | undefined };
}): { readonly endpoint: string; readonly key: string | null } {
  const key = input.query.key ?? input.header["x-request-key"] ?? null;
  return { endpoint: input.path.endpoint_id, key };
}
