/**
 * A model taken elsewhere: as an ONNX graph, as LightGBM's text, as an archive of all that belongs to it; and
 * its card, as a page or as JSON.
 */

import { type CardKeeper, modelCardSchema } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { attachment } from "../../api/http/bodies/object-download.ts";
import {
  acceptHeader,
  chosenFormat,
  formatQuery,
  PAGE_HEADERS,
  pageOrJson,
} from "../../api/http/bodies/page-or-json.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import type { ExportForm } from "../../platform/compute/exports/export-model.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import { findDataset } from "../datasets/service.ts";
import { archiveZip } from "./archive-zip.ts";
import type { ModelKinds } from "./kind.ts";
import { modelReferenceSchema } from "./model-id.ts";
import { findTrainedModel, type PredictingModel, predictingModel } from "./service.ts";

const path = z.object({ model_id: modelReferenceSchema });
const tags = ["Models"];
const saved = z.object({
  "Content-Disposition": z.string().describe("The name to save it under."),
});
const binary = { type: "string", format: "binary" } as const;

const ZIP = "application/zip";
const FORMS = {
  onnx: { type: "application/octet-stream", ending: "onnx" },
  lightgbm: { type: "text/plain", ending: "txt" },
} as const;

const exportRoute = (
  kinds: ModelKinds,
  form: ExportForm,
  says: { readonly summary: string; readonly description: string },
) =>
  rawRoute({
    operation: {
      method: "GET",
      path: `/v1/models/{model_id}/${form}`,
      ...says,
      tags,
      operationId: `models_${form}`,
      errors: ["not-found", "conflict"],
      responseHeaders: saved,
    },
    scope: "models:read",
    input: z.object({ path }),
    responses: {
      200: {
        description: "The model in this form",
        content: { [FORMS[form].type]: { schema: form === "onnx" ? binary : { type: "string" } } },
      },
    },
    async handler({ ctx, input }) {
      const { modelId, folder } = await predictingModel(ctx, kinds, input.path.model_id);
      const exported = await ctx.services.compute.exportModel({ folder, form }, ctx.request.signal);
      if ("refused" in exported) throw conflict(exported.refused);
      const { type, ending } = FORMS[form];
      return {
        body: exported.bytes,
        contentType: form === "onnx" ? type : `${type}; charset=utf-8`,
        headers: { "content-disposition": attachment(`${modelId}.${ending}`) },
      };
    },
  });

export const onnxRoute = (kinds: ModelKinds) =>
  exportRoute(kinds, "onnx", {
    summary: "Export Model As ONNX",
    description:
      "The whole model as one graph of opset 17 and `ai.onnx.ml` 3, which answers as `predict` does: encoding, members, calibration, combination, decision. Each column is an input, rows × 1: numbers, booleans (0, 1) and times (milliseconds since 1970, UTC) are doubles in which NaN is missing, categories are strings in which the empty one is. Outputs are `value`, or `label` and `probabilities`; intervals and sets are not part of it. 409 says in words what of the model the format cannot say.",
  });

export const lightGbmRoute = (kinds: ModelKinds) =>
  exportRoute(kinds, "lightgbm", {
    summary: "Export Model As LightGBM",
    description:
      "A model of one boosted member as LightGBM's text (version v4), for `lightgbm.Booster(model_file=…)`. A category is its place in the model's list of them, NaN is missing. 409 says in words why a model has no such form, and how to train one that has.",
  });

export const cardRoute = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "GET",
      path: "/v1/models/{model_id}/card",
      summary: "Get Model Card",
      description:
        "What the model is, reads and answers, how good it was found to be and by what, what it relies on, its limits, where it comes from, and how to call it: one HTML page without outside requests, or the same facts as JSON.",
      tags,
      operationId: "models_card",
      errors: ["not-found", "conflict", "not-acceptable"],
    },
    scope: "models:read",
    input: z.object({
      path,
      query: z.strictObject({ format: formatQuery }),
      header: acceptHeader,
    }),
    responses: pageOrJson("The card", modelCardSchema.meta({ id: "ModelCard" })),
    async handler({ ctx, input }) {
      const { form, contentType } = chosenFormat(input.query.format, input.header.accept);
      const model = await predictingModel(ctx, kinds, input.path.model_id);
      const { baseUrl, signal } = ctx.request;
      const keeper = await keeperOf(ctx, model);
      const { compute } = ctx.services;
      const body = await compute.modelCard({ folder: model.folder, keeper, baseUrl, form }, signal);
      return { body, contentType, headers: PAGE_HEADERS };
    },
  });

export const archiveRoute = (kinds: ModelKinds) =>
  rawRoute({
    operation: {
      method: "GET",
      path: "/v1/models/{model_id}/archive",
      summary: "Download Model Archive",
      description:
        "A zip of all that belongs to a model: its directory (`model/`), its card (`card.json`, `card.html`), `model.onnx` where the format can say it, `predict.mjs` and `predict.html`, which answer rows as the service does with nothing installed (by `predict/`), and a `README.md` with calls in three languages, made for its own columns. The archive of a model that has not changed has the same bytes each time.",
      tags,
      operationId: "models_archive",
      errors: ["not-found", "conflict"],
      responseHeaders: saved,
    },
    scope: "models:read",
    input: z.object({ path }),
    responses: {
      200: { description: "The archive", content: { [ZIP]: { schema: binary } } },
    },
    async handler({ ctx, input }) {
      const model = await predictingModel(ctx, kinds, input.path.model_id);
      const { baseUrl, signal } = ctx.request;
      const keeper = await keeperOf(ctx, model);
      const { compute } = ctx.services;
      const parts = await compute.archiveParts({ folder: model.folder, keeper, baseUrl }, signal);
      return {
        body: archiveZip(model.folder, parts),
        contentType: ZIP,
        headers: { "content-disposition": attachment(`${model.modelId}.zip`) },
      };
    },
  });

/** What the model's own file does not know. */
async function keeperOf(ctx: AuthedContext, { modelId }: PredictingModel): Promise<CardKeeper> {
  const { db } = ctx.services;
  const { organizationId } = ctx.auth;
  const row = await findTrainedModel(db, organizationId, modelId);
  if (row === null) throw notFound("model");
  const dataset = await findDataset(db, organizationId, row.dataset_id);
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    aliases: [...row.aliases],
    tags: { ...row.tags },
    notes: row.notes,
    created_at: row.created_at.toISOString(),
    job_id: row.job_id,
    dataset: {
      id: row.dataset_id,
      name: dataset?.name ?? null,
      rows: dataset?.rows ?? null,
      hash: dataset?.hash ?? null,
    },
  };
}
