/** Models: list, get with the card, name and annotate, status, download, delete, predict, explain. */

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
import { conflict } from "../../platform/input/problem.ts";
import { type LineageContributor, lineageOf, lineageSchema } from "../lineage/lineage.ts";
import type { ModelKind, ModelKinds } from "./kind.ts";
import { modelFilterQuery, toModelFilter } from "./model-filter.ts";
import { modelIdSchema, modelNameSchema, modelReferenceSchema } from "./model-id.ts";
import { MODEL_STATUSES } from "./record.ts";
import { changeModel, MOST_TAGS } from "./registry/naming.ts";
import {
  listAllModels,
  type ModelUsers,
  predictingModel,
  presignFiles,
  removeModel,
  requireModel,
} from "./service.ts";

/** Of a model of any kind. */
const path = z.strictObject({ model_id: modelReferenceSchema });

const changeSchema = {
  name: modelNameSchema
    .nullish()
    .describe(
      "The model becomes the next version of this name; null takes its name away. Numbers are never given twice. Of its own name, it stays the version that it is.",
    ),
  notes: z.string().max(20_000).nullish().describe("What to know about it; null = none."),
  tags: z
    .record(z.string().min(1).max(128), z.string().max(1000).nullable())
    .nullish()
    .describe(
      `Texts by key, up to ${MOST_TAGS}. Those that are left out stay, those that are null are taken away; null in place of all takes all away.`,
    ),
};
const tags = ["Models"];
const says = resourceOperations({
  collection: "/v1/models",
  parameter: "model_id",
  title: "Model",
  tags,
});
const URL_SECONDS = 900;

/**
 * @param users what may refer to a model, and keeps it
 * @param lineage of all resources
 */
export function modelsRouter<Kinds extends ModelKinds>(
  kinds: Kinds,
  users: ModelUsers,
  lineage: readonly LineageContributor[],
) {
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
      .input(
        z.strictObject({
          ...pageQuery,
          type: z.enum(types).optional(),
          ...modelFilterQuery,
          name: z.string().min(1).max(255).optional().describe("Models of exactly this name."),
        }),
      )
      .output(z.object({ models: z.array(modelSchema), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const { organizationId } = ctx.auth;
        const { limit, page_token, type = null, name, tag } = input;
        const filter = [organizationId, type, ...(name || tag ? [name ?? null, tag ?? []] : [])];
        const pages = new CreationPages(ctx.services, "models");
        const after = pages.read(filter, page_token);
        const rows = await listAllModels(ctx, kinds, {
          limit,
          after,
          type,
          filter: toModelFilter(input),
        });
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

    patch: authed("models:write")
      .meta(
        says.patch({
          description:
            "Gives a trained model a name of the registry, tags and notes. What is left out stays.",
          errors: ["conflict"],
        }),
      )
      .input(z.strictObject({ ...path.shape, ...changeSchema }))
      .output(modelSchema)
      .mutation(async ({ ctx, input }) => {
        const { model_id, ...change } = input;
        const { kind, row } = await requireModel(ctx, kinds, model_id);
        ctx.isAbout(kind.idOf(row));
        if (kind.whyNoName !== null) throw conflict(kind.whyNoName);
        await changeModel(ctx, kinds, users.others, row.id, change);
        const changed = await requireModel(ctx, kinds, row.id);
        return kind.toModel(changed.row);
      }),

    lineage: authed("models:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/models/{model_id}/lineage",
          summary: "Get Model Lineage",
          description:
            "What the model came from (its job, its teacher, the dataset, and what that was made of), and the jobs, models and endpoints that came of it. A dataset that was deleted is shown as it was.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(path)
      .output(lineageSchema)
      .query(async ({ ctx, input }) => {
        const { row } = await requireModel(ctx, kinds, input.model_id);
        return lineageOf(ctx, lineage, { kind: "model", id: row.id });
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
        const may = ({ statusScopes }: ModelKind): boolean =>
          statusScopes.some((scope) => allows(ctx.auth.scopes, scope));
        if (!kinds.some(may)) assertScope(ctx, "models:read");
        const { kind, row } = await requireModel(ctx, kinds, input.model_id);
        if (!may(kind)) assertScope(ctx, "models:read");
        return { model_id: kind.idOf(row), status: row.status };
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
      .query(async ({ ctx, input }) => {
        const model = await requireModel(ctx, kinds, input.model_id);
        return {
          id: model.kind.idOf(model.row),
          files: await presignFiles(ctx, model, URL_SECONDS),
          expires_in: URL_SECONDS,
        };
      }),

    delete: authed("models:write")
      .meta(
        says.delete({
          description:
            "Deletes a trained model, or a document schema, and its files, by its id: a name or an alias is refused. Its version's number is not given again.",
        }),
      )
      .input(
        z.strictObject({
          ...path.shape,
          force: z
            .boolean()
            .default(false)
            .describe("Deletes the aliases too that lead to the model; without it they are 409."),
        }),
      )
      .output(z.object({ id: modelIdSchema, deleted: z.boolean() }))
      .mutation(async ({ ctx, input }) => ({
        id: await removeModel(ctx, kinds, users, {
          model_id: input.model_id,
          forcedBy: input.force ? ctx.auth : null,
        }),
        deleted: true,
      })),

    /** `/v1` has it as a raw route, as it has `explain`: threads read the rows there. */
    predict: authed("models:read")
      .input(rowsBeside("predict", { model_id: modelReferenceSchema, coverage: coverageQuery }))
      .output(predictionsSchema)
      .mutation(async ({ ctx, input }) => {
        const { model_id, coverage, ...rows } = input;
        const model = await predictingModel(ctx, kinds, model_id);
        return ctx.services.compute.predict({ ...model, rows, coverage });
      }),

    explain: authed("models:read")
      .input(rowsBeside("explain", { model_id: modelReferenceSchema, segments: segmentsQuery }))
      .output(explanationsSchema)
      .mutation(async ({ ctx, input }) => {
        const { model_id, segments, ...rows } = input;
        const model = await predictingModel(ctx, kinds, model_id);
        return ctx.services.compute.explain({ ...model, rows, segments });
      }),
  });
}
