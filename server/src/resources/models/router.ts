/** Models: list, get with the card, status, download, delete, predict, explain. */

import { z } from "zod";
import { allows, assertScope } from "../../api/context/scopes.ts";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { resourceOperations } from "../../api/resource/operations.ts";
import {
  coverageQuery,
  explanationsSchema,
  predictionsSchema,
  rowsBeside,
  segmentsQuery,
} from "../../platform/compute/model-rows.ts";
import type { JobKind } from "../jobs/kind.ts";
import type { ModelKind, ModelKinds } from "./kind.ts";
import { modelIdSchema } from "./model-id.ts";
import { MODEL_STATUSES } from "./record.ts";
import {
  listAllModels,
  predictingFolder,
  presignFiles,
  removeModel,
  requireModel,
} from "./service.ts";

/** Of a model of any kind. */
const path = z.strictObject({ model_id: modelIdSchema });
const tags = ["Models"];
const says = resourceOperations({
  collection: "/v1/models",
  parameter: "model_id",
  title: "Model",
  tags,
});
const URL_SECONDS = 900;

/** @param jobKinds whose open jobs may refer to a model */
export function modelsRouter<Kinds extends ModelKinds>(kinds: Kinds, jobKinds: readonly JobKind[]) {
  type Kind = Kinds[number];
  const types = kinds.map(({ type }) => type) as [Kind["type"], ...Kind["type"][]];
  const schemas = kinds.map(({ schema }) => schema) as [Kind["schema"], ...Kind["schema"][]];
  const details = kinds.map(({ detailSchema }) => detailSchema) as [
    Kind["detailSchema"],
    ...Kind["detailSchema"][],
  ];
  const modelSchema: z.ZodType<z.output<Kind["schema"]>> = z
    .discriminatedUnion("type", schemas)
    .meta({ id: "Model" });
  const modelDetailSchema: z.ZodType<z.output<Kind["detailSchema"]>> = z
    .discriminatedUnion("type", details)
    .meta({ id: "ModelDetail" });
  return router({
    list: authed("models:read")
      .meta(
        says.list({
          description:
            "Newest first: trained models, and the schemas that were induced from documents.",
        }),
      )
      .input(z.strictObject({ ...pageQuery, type: z.enum(types).optional() }))
      .output(z.object({ models: z.array(modelSchema), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const { organizationId } = ctx.auth;
        const { limit, page_token, type = null } = input;
        const filter = [organizationId, type];
        const pages = new CreationPages(ctx.services, "models");
        const after = pages.read(filter, page_token);
        const rows = await listAllModels(ctx, kinds, { limit, after, type });
        const page = cutPage(rows, limit, ({ row }) => pages.write(filter, row));
        return {
          models: page.entries.map(({ kind, row }) => kind.toModel(row)),
          next_page_token: page.next_page_token,
        };
      }),

    get: authed("models:read")
      .meta(
        says.get({ description: "The model card: data, config, scores, importance, environment." }),
      )
      .input(path)
      .output(modelDetailSchema)
      .query(async ({ ctx, input }) => {
        const { kind, row } = await requireModel(ctx, kinds, input.model_id);
        return kind.toDetail(row);
      }),

    status: authed("any")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/models/{model_id}/status",
          summary: "Get Model Status",
          description:
            "Of a trained model, or of a document schema. Needs models:read; of a schema, documents:read does as well.",
          tags,
          errors: ["forbidden", "not-found"],
        },
      })
      .input(path)
      .output(z.object({ model_id: modelIdSchema, status: z.enum(MODEL_STATUSES) }))
      .query(async ({ ctx, input }) => {
        const { model_id } = input;
        const may = ({ statusScopes }: ModelKind): boolean =>
          statusScopes.some((scope) => allows(ctx.auth.scopes, scope));
        if (!kinds.some(may)) assertScope(ctx, "models:read");
        const { kind, row } = await requireModel(ctx, kinds, model_id);
        if (!may(kind)) assertScope(ctx, "models:read");
        return { model_id, status: row.status };
      }),

    download: authed("models:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/models/{model_id}/download",
          summary: "Download Model",
          description:
            "One presigned URL for each file of the model's directory; of a document schema, the schema and the plan by which its questions are answered.",
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(path)
      .output(
        z.object({
          id: modelIdSchema,
          files: z.array(
            z.object({
              path: z.string().describe("Relative to the model's directory."),
              url: z.string().describe("A presigned URL to GET."),
            }),
          ),
          expires_in: z.int().describe("Seconds for which the URLs are valid."),
        }),
      )
      .query(async ({ ctx, input }) => ({
        id: input.model_id,
        files: await presignFiles(ctx, kinds, input.model_id, URL_SECONDS),
        expires_in: URL_SECONDS,
      })),

    delete: authed("models:write")
      .meta(
        says.delete({
          description: "Deletes a trained model, or a document schema, and its files.",
        }),
      )
      .input(path)
      .output(z.object({ id: modelIdSchema, deleted: z.boolean() }))
      .mutation(async ({ ctx, input }) => {
        await removeModel(ctx, kinds, jobKinds, input.model_id);
        return { id: input.model_id, deleted: true };
      }),

    /** `/v1` has it as a raw route, as it has `explain`: threads read the rows there. */
    predict: authed("models:read")
      .input(rowsBeside("predict", { model_id: modelIdSchema, coverage: coverageQuery }))
      .output(predictionsSchema)
      .mutation(async ({ ctx, input }) => {
        const { model_id: modelId, coverage, ...rows } = input;
        const folder = await predictingFolder(ctx, kinds, modelId);
        return ctx.services.compute.predict({ modelId, folder, rows, coverage });
      }),

    explain: authed("models:read")
      .input(rowsBeside("explain", { model_id: modelIdSchema, segments: segmentsQuery }))
      .output(explanationsSchema)
      .mutation(async ({ ctx, input }) => {
        const { model_id: modelId, segments, ...rows } = input;
        const folder = await predictingFolder(ctx, kinds, modelId);
        return ctx.services.compute.explain({ modelId, folder, rows, segments });
      }),
  });
}
