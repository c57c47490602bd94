/**
 * The Open Inference Protocol v2 over HTTP, with its extension for binary tensors: endpoints, and models,
 * for the stock clients of other servers. Health is among the probes (`api/http/health.ts`).
 * https://github.com/kserve/open-inference-protocol
 */

import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { JSON_TYPE } from "../../../api/http/bodies/answer.ts";
import { API_VERSION } from "../../../api/http/document/openapi.ts";
import { LARGE_JSON_LIMIT, type OperationMeta } from "../../../api/http/routing/operation.ts";
import { type RawRoute, rawRoute } from "../../../api/http/routing/raw-route.ts";
import { inferRequestSchema } from "../../../platform/compute/open-inference/infer-request.ts";
import { Problem } from "../../../platform/input/problem.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { type PredictingModel, predictingModel } from "../../models/service.ts";
import { answerByEndpoint } from "../answering.ts";
import { keyHeader, keyQuery, logged, predictionIdHeader } from "../rows-routes.ts";
import { metadataOf, modelMetadataSchema } from "./metadata.ts";
import { answeringOf, requireTarget, type Target } from "./targets.ts";

const tags = ["Open Inference Protocol"];
const SCOPES =
  "An endpoint needs the scope `serving:read`; where there is no endpoint of that name, a model is meant, which needs `models:read`.";

const modelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,255}$/)
  .describe("An endpoint's name or id; or a model: its id, `name`, `name@alias`.");
const modelVersion = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,255}$/)
  .describe("The id of one of the models behind it; of a registered name also a version's number.");

const unversioned = z.object({ model_name: modelName });
const versioned = unversioned.extend({ model_version: modelVersion });

const HEADER = "inference-header-content-length";
const inferHeader = keyHeader.extend({
  [HEADER]: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe("How many bytes of the body are JSON; the tensors' bytes follow. Default: all."),
});

const outputSchema = z.object({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.int()),
  parameters: z.object({ binary_data_size: z.int() }).optional(),
  data: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});
const answerSchema = z.object({
  model_name: z.string(),
  model_version: z.uuid().describe("The id of the model that answered."),
  id: z.string().optional(),
  parameters: z
    .object({ warnings: z.string() })
    .optional()
    .describe("What the rows gave cause to warn of."),
  outputs: z.array(outputSchema),
});

const says = (
  method: "GET" | "POST",
  path: `/${string}`,
  operationId: string,
  own: Pick<OperationMeta, "summary" | "description" | "bodyLimit" | "responseHeaders">,
): OperationMeta => ({
  method,
  path,
  operationId,
  tags,
  errors: ["forbidden", "not-found", "conflict"],
  failures: "error",
  ...own,
});

const ok = (description: string, schema: z.ZodType) => ({
  200: { description, content: { "application/json": { schema } } },
});

const serverMetadata = rawRoute({
  operation: {
    method: "GET",
    path: "/v2",
    summary: "Server Metadata",
    tags,
    operationId: "inference_server",
    failures: "error",
  },
  scope: null,
  responses: ok(
    "The server",
    z.object({ name: z.string(), version: z.string(), extensions: z.array(z.string()) }),
  ),
  handler: async () => ({
    json: { name: "distillery", version: API_VERSION, extensions: ["binary_tensor_data"] },
  }),
});

/** The paths of a model, without and with a version. */
const FORMS = [
  { base: "/v2/models/{model_name}", path: unversioned, id: "" },
  { base: "/v2/models/{model_name}/versions/{model_version}", path: versioned, id: "Version" },
] as const;

const versionOf = (path: z.infer<typeof unversioned>): string | null =>
  "model_version" in path && typeof path.model_version === "string" ? path.model_version : null;

async function described(ctx: AuthedContext, kinds: ModelKinds, path: z.infer<typeof unversioned>) {
  const version = versionOf(path);
  const target = await requireTarget(ctx, kinds, path.model_name, version);
  const models = await modelsOf(ctx, kinds, target, version);
  const found = models.map(async ({ modelId }) => ({
    id: modelId,
    answering: await answeringOf(ctx, kinds, modelId),
  }));
  return metadataOf(path.model_name, await Promise.all(found));
}

/** All that answer. @throws 404, 409 where one of them cannot */
async function modelsOf(
  ctx: AuthedContext,
  kinds: ModelKinds,
  { endpoint, model }: Target,
  version: string | null,
): Promise<readonly PredictingModel[]> {
  if (endpoint === null) return [model];
  const models = await Promise.all(
    endpoint.models.map(async ({ model_id: reference }) => ({
      reference,
      ...(await predictingModel(ctx, kinds, reference)),
    })),
  );
  const wanted = models.filter(
    ({ reference, modelId }) => version === null || [reference, modelId].includes(version),
  );
  if (wanted.length === 0) throw new Problem("not-found", "There is no such version.");
  return wanted;
}

export const openInferenceRoutes = (kinds: ModelKinds): RawRoute[] => [
  serverMetadata,
  ...FORMS.flatMap(({ base, path, id }) => [
    rawRoute({
      operation: says("GET", base, `inference_metadata${id}`, {
        summary: "Model Metadata",
        description: `What a model or an endpoint takes and answers. ${SCOPES}`,
      }),
      scope: "any",
      input: z.object({ path }),
      responses: ok("Its tensors", modelMetadataSchema),
      handler: async ({ ctx, input }) => ({ json: await described(ctx, kinds, input.path) }),
    }),
    rawRoute({
      operation: says("GET", `${base}/ready`, `inference_modelReady${id}`, {
        summary: "Model Ready",
        description: `Whether a model, or each of an endpoint's, can answer; else 409. ${SCOPES}`,
      }),
      scope: "any",
      input: z.object({ path }),
      responses: ok("It can answer", z.object({ name: z.string(), ready: z.literal(true) })),
      async handler({ ctx, input }) {
        const { name } = await described(ctx, kinds, input.path);
        return { json: { name, ready: true } };
      },
    }),
    rawRoute({
      operation: says("POST", `${base}/infer`, `inference_infer${id}`, {
        summary: "Infer",
        description: `Predictions for the rows of tensors: one of the shape [n] or [n, 1] for each column, or one of the shape [n, k] for the k numeric columns. NaN and null are missing cells, and so is an empty BYTES element, unless training data held empty texts in its column; a column left out is missing. \`parameters.coverage\` is as of Predict. Tensors may be binary, by \`binary_data_size\` and the header, and so may the answer's. \`model_version\` of the answer says which model answered. ${SCOPES}`,
        bodyLimit: LARGE_JSON_LIMIT,
        responseHeaders: predictionIdHeader,
      }),
      scope: "any",
      input: z.object({ path, query: z.strictObject(keyQuery), header: inferHeader }),
      request: {
        content: {
          "application/json": { schema: inferRequestSchema },
          "application/octet-stream": { schema: { type: "string", format: "binary" } },
        },
      },
      responses: ok("The predictions, in the order of the rows", answerSchema),
      async handler({ ctx, input, headers: sentHeaders, bytes }) {
        const { query, header } = input;
        const version = versionOf(input.path);
        const modelName = input.path.model_name;
        const target = await requireTarget(ctx, kinds, modelName, version);
        const { compute } = ctx.services;
        const jsonBytes = header[HEADER] ?? null;
        const ask = async (model: PredictingModel, body: Uint8Array, logs: boolean) => {
          const signature = await answeringOf(ctx, kinds, model.modelId);
          const answer = await compute.inferBody({
            ...model,
            modelName,
            signature,
            body,
            jsonBytes,
            logs,
          });
          return { ...answer, model, signature };
        };
        const body = await bytes();
        const { endpoint } = target;
        if (endpoint === null) return sent(await ask(target.model, body, false));
        const { answer, headers } = await answerByEndpoint(ctx, kinds, {
          endpoint: endpoint.id,
          key: query.key ?? header["x-request-key"] ?? null,
          version,
          route: "infer",
          body,
          checkBody: async () => {},
          ask,
          log: logged(sentHeaders, undefined),
          compare: (shadow, copy, { model, signature }) =>
            compute.compareInfer({ ...shadow, given: model, signature, body: copy, jsonBytes }),
        });
        return sent(answer, headers);
      },
    }),
  ]),
];

const sent = (
  { body, jsonBytes }: { readonly body: Uint8Array; readonly jsonBytes: number | null },
  headers: Readonly<Record<string, string>> = {},
) =>
  jsonBytes === null
    ? { body, contentType: JSON_TYPE, headers }
    : {
        body,
        contentType: "application/octet-stream",
        headers: { ...headers, "inference-header-content-length": String(jsonBytes) },
      };
