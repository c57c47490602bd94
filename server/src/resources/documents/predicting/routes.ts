/** `predict_documents` of a model and of an endpoint: extract, shape and predict in one call. */

import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { assertScope } from "../../../api/context/scopes.ts";
import { isJsonType } from "../../../api/http/bodies/body.ts";
import { LARGE_JSON_LIMIT } from "../../../api/http/routing/operation.ts";
import { type RawCall, rawRoute } from "../../../api/http/routing/raw-route.ts";
import { Problem, unprocessable } from "../../../platform/input/problem.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { modelReferenceSchema } from "../../models/model-id.ts";
import { findModel, predictingModel, requireModel } from "../../models/service.ts";
import { answerByEndpoint, askPredictions } from "../../serving/answering.ts";
import { endpointReference } from "../../serving/record.ts";
import { keyHeader, keyQuery, logged } from "../../serving/rows-routes.ts";
import { requireEndpoint } from "../../serving/service.ts";
import { WAIT_SECONDS } from "../limits.ts";
import { receiveFiles } from "../receive.ts";
import { receiveTexts } from "../upload.ts";
import {
  bodyOf,
  placed,
  rowsOfDocuments,
  schemaFor,
  withDocuments,
  withFolder,
} from "./predict-documents.ts";
import { parsedFiles, type ReadDocument, storedDocuments } from "./read-documents.ts";
import {
  documentPredictionsSchema,
  documentsQuery,
  type ExtraColumns,
  MOST_DOCUMENTS,
  predictDocumentsSchema,
} from "./request.ts";

const about = `For a model that learned from the answers of an extraction: the questions of its document schema are answered for each document, with what labels say of stored ones, and the answers are predicted as one row. Documents are named by their ids, written into the request, or sent as multipart with one part a file; what is sent is not stored. At most ${MOST_DOCUMENTS}; more are extracted by a job and predicted as a batch. Needs documents:read, too.`;

const request = {
  required: true,
  content: {
    "application/json": { schema: predictDocumentsSchema },
    "multipart/form-data": {
      schema: {
        type: "object",
        required: ["files"],
        properties: {
          files: { type: "array", minItems: 1, items: { type: "string", format: "binary" } },
        },
      },
    },
  },
} as const;

const responses = {
  200: {
    description: "A prediction for each document, with what was read in it",
    content: { "application/json": { schema: documentPredictionsSchema } },
  },
};

const operation = {
  method: "POST",
  bodyLimit: LARGE_JSON_LIMIT,
  errors: [
    "forbidden",
    "not-found",
    "conflict",
    "payload-too-large",
    "unsupported-media-type",
    "request-timeout",
  ],
} as const;

export const predictDocumentsRoute = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      ...operation,
      path: "/v1/models/{model_id}/predict_documents",
      summary: "Predict Documents",
      description: about,
      tags: ["Models"],
      operationId: "models_predictDocuments",
    },
    scope: "models:read",
    input: z.object({ path: z.object({ model_id: modelReferenceSchema }), query: documentsQuery }),
    request,
    responses,
    async handler(call) {
      const { ctx, input } = call;
      const { coverage, schema_id: asked } = input.query;
      return withRead(call, async (documents, columns) => {
        const model = await predictingModel(ctx, kinds, input.path.model_id);
        const schemaId = await schemaFor(ctx, model.modelId, asked);
        const wanted = await columnsRead(ctx, [model.modelId]);
        const rows = await rowsOfDocuments(ctx, schemaId, documents, columns, wanted);
        const { body } = await placed(
          ctx.services.compute.predictBody({ ...model, body: bodyOf(rows), coverage }),
        );
        return { json: withDocuments(body, rows) };
      });
    },
  });

export const predictDocumentsByEndpoint = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      ...operation,
      path: "/v1/serving/endpoints/{endpoint_id}/predict_documents",
      summary: "Predict Documents by Serving Endpoint",
      description: `${about} The schema is that of the first model of the split.`,
      tags: ["Serving"],
      operationId: "serving_predictDocuments",
    },
    scope: "serving:read",
    input: z.object({
      path: z.object({ endpoint_id: endpointReference }),
      query: documentsQuery.extend(keyQuery),
      header: keyHeader,
    }),
    request,
    responses,
    async handler(call) {
      const { ctx, input } = call;
      const { coverage, schema_id: asked, key } = input.query;
      return withRead(call, async (documents, columns) => {
        const { compute } = ctx.services;
        const endpoint = await requireEndpoint(ctx, input.path.endpoint_id);
        const models: string[] = [];
        for (const { model_id } of endpoint.models) {
          models.push((await requireModel(ctx, kinds, model_id)).row.id);
        }
        const schemaId = await schemaFor(ctx, models[0], asked);
        const wanted = await columnsRead(ctx, models);
        const rows = await rowsOfDocuments(ctx, schemaId, documents, columns, wanted);
        const asking = answerByEndpoint(ctx, kinds, {
          endpoint: endpoint.id,
          key: key ?? input.header["x-request-key"] ?? null,
          route: "predict",
          body: bodyOf(rows),
          checkBody: (body) => compute.checkBody(body, "predict"),
          ask: askPredictions(ctx.services, coverage),
          log: logged(call.headers, coverage),
          compare: (shadow, body, given) =>
            compute.compareBody({ ...shadow, body, answer: given.body }),
        });
        const { answer, headers } = await placed(asking);
        return { json: withDocuments(answer.body, rows), headers };
      });
    },
  });

/** Names of the columns that any of the models reads. */
async function columnsRead(
  { services, auth }: AuthedContext,
  modelIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const models = await Promise.all(
    modelIds.map((id) => findModel(services.db, auth.organizationId, id)),
  );
  return new Set(models.flatMap((model) => model?.document?.columns ?? []).map(({ name }) => name));
}

type Call = Pick<
  RawCall<unknown, AuthedContext>,
  "ctx" | "mediaType" | "headers" | "body" | "json"
>;

/** Lends the documents of a request, parsed. */
async function withRead<Answer>(
  { ctx, mediaType, headers, body, json }: Call,
  use: (
    documents: readonly ReadDocument[],
    columns: readonly (ExtraColumns | undefined)[],
  ) => Promise<Answer>,
): Promise<Answer> {
  assertScope(ctx, "documents:read");
  return withFolder(ctx, async (folder) => {
    if (mediaType?.type === "multipart/form-data") {
      // Nothing of it is kept, so no quota counts it.
      const files = await receiveFiles(headers, body, folder, () => {});
      if (files.length > MOST_DOCUMENTS) {
        const message = `one request takes at most ${MOST_DOCUMENTS} files`;
        throw unprocessable(["body", "files"], message);
      }
      const place = ({ index }: { index: number }) => ["body", "files", index];
      return use(await parsedFiles(ctx, files, WAIT_SECONDS, place), []);
    }
    if (mediaType === null || !isJsonType(mediaType.type)) {
      throw new Problem(
        "unsupported-media-type",
        "Send application/json with documents, or multipart/form-data with the files.",
        { headers: { "accept-post": "application/json, multipart/form-data" } },
      );
    }
    const { documents } = await json(predictDocumentsSchema);
    const entries = documents.map((each) =>
      typeof each === "string" ? { document_id: each, columns: undefined } : each,
    );
    const stored: { readonly at: number; readonly id: string }[] = [];
    const texts: { readonly at: number; readonly name: string; readonly text: string }[] = [];
    for (const [at, entry] of entries.entries()) {
      if ("document_id" in entry) stored.push({ at, id: entry.document_id });
      else texts.push({ at, name: entry.name, text: entry.text });
    }
    const found = await storedDocuments(
      ctx,
      stored.map(({ id }) => id),
      folder,
      (at) => ["body", "documents", stored[at].at],
    );
    const read = await parsedFiles(
      ctx,
      await receiveTexts(texts, folder),
      WAIT_SECONDS,
      ({ index }) => ["body", "documents", texts[index].at, "text"],
    );
    const inOrder: ReadDocument[] = [];
    for (const [i, { at }] of stored.entries()) inOrder[at] = found[i];
    for (const [i, { at }] of texts.entries()) inOrder[at] = read[i];
    return use(
      inOrder,
      entries.map(({ columns }) => columns),
    );
  });
}
