/** The registry: names with their versions, and aliases. A model's own name is set where models are (`models/router.ts`). */

import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { authed, router } from "../../../api/http/routing/trpc.ts";
import { cutPage, nextPageToken, PageTokens, pageQuery } from "../../../api/paging/page-token.ts";
import type { Services } from "../../../api/services.ts";
import { notFound } from "../../../platform/input/problem.ts";
import type { ModelUser } from "../kind.ts";
import { aliasReference, aliasSchema, modelNameSchema, modelReferenceSchema } from "../model-id.ts";
import { toModel, trainedModelSchema } from "../record.ts";
import { listVersions } from "../store.ts";
import { pointAlias, RECENT_MOVES, removeAlias, rollBackAlias } from "./aliases.ts";
import { nearReference } from "./near.ts";
import { aliasRecordSchema, nameSchema, toAlias, toName } from "./record.ts";
import { aliasedModel, findAlias, listMoves, listNames } from "./store.ts";
import type { AliasName } from "./walk.ts";

const tags = ["Registry"];
const namePath = { name: modelNameSchema };
const aliasPath = { ...namePath, alias: aliasSchema };
const ALIAS = "/v1/registry/{name}/aliases/{alias}";

const namePages = (services: Services) =>
  new PageTokens(services.secret.derive("page-tokens"), "registry", z.string());
const versionPages = (services: Services) =>
  new PageTokens(services.secret.derive("page-tokens"), "registry_versions", z.int());

async function shownAlias(ctx: AuthedContext, at: AliasName) {
  const { db } = ctx.services;
  const { organizationId } = ctx.auth;
  const [row, moves] = await db.forOrganization(organizationId, async (sql) => [
    await findAlias(sql, organizationId, at),
    await listMoves(sql, organizationId, at, RECENT_MOVES),
  ]);
  if (row === null) {
    const near = await nearReference(db, organizationId, aliasReference(at.name, at.alias));
    throw notFound("alias", near);
  }
  return toAlias(row, await aliasedModel(db, organizationId, at), moves);
}

/** @param users what may refer to an alias, and keeps it */
export const registryRouter = (users: readonly ModelUser[]) =>
  router({
    list: authed("models:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/registry",
          summary: "List Registered Names",
          description: "Names that have a version or an alias, in the order of their bytes.",
          tags,
        },
      })
      .input(z.strictObject(pageQuery))
      .output(
        z.object({
          names: z.array(nameSchema).describe("The names of this page."),
          next_page_token: nextPageToken,
        }),
      )
      .query(async ({ ctx, input: { limit, page_token } }) => {
        const { organizationId } = ctx.auth;
        const pages = namePages(ctx.services);
        const filter = [organizationId];
        const after = pages.decode(filter, page_token);
        const rows = await listNames(ctx.services.db, organizationId, { limit, after });
        const page = cutPage(rows, limit, ({ name }) => pages.encode(filter, name));
        return { names: page.entries.map(toName), next_page_token: page.next_page_token };
      }),

    get: authed("models:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/registry/{name}",
          summary: "Get Registered Name",
          description: "With its versions, the latest first.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(z.strictObject({ ...namePath, ...pageQuery }))
      .output(
        nameSchema.omit({ versions: true }).extend({
          versions: z.array(trainedModelSchema).describe("The models of this page."),
          next_page_token: nextPageToken,
        }),
      )
      .query(async ({ ctx, input: { name, limit, page_token } }) => {
        const { db } = ctx.services;
        const { organizationId } = ctx.auth;
        const pages = versionPages(ctx.services);
        const filter = [organizationId, name];
        const before = pages.decode(filter, page_token) ?? null;
        const [row] = await listNames(db, organizationId, { only: name, limit: 1 });
        if (row === undefined) {
          throw notFound("registered name", await nearReference(db, organizationId, name));
        }
        const rows = await listVersions(db, organizationId, name, { limit, before });
        const page = cutPage(rows, limit, ({ version }) => pages.encode(filter, version ?? 0));
        return {
          ...toName(row),
          versions: page.entries.map(toModel),
          next_page_token: page.next_page_token,
        };
      }),

    getAlias: authed("models:read")
      .meta({
        openapi: {
          method: "GET",
          path: ALIAS,
          summary: "Get Alias",
          description: "What it points to, and who pointed it where and when.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(z.strictObject(aliasPath))
      .output(aliasRecordSchema)
      .query(({ ctx, input }) => shownAlias(ctx, input)),

    setAlias: authed("models:write")
      .meta({
        openapi: {
          method: "PUT",
          path: ALIAS,
          summary: "Set Alias",
          description:
            "Makes the alias or moves it, at once for all who ask by it. It points to a completed trained model, or follows another alias.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(
        z.strictObject({
          ...aliasPath,
          model_id: modelReferenceSchema
            .optional()
            .describe(
              "An id, a version such as `churn@3`, or another alias, which is followed wherever it moves. Either this or version.",
            ),
          version: z
            .int()
            .min(1)
            .max(999_999_999)
            .optional()
            .describe("A version of this name. Either this or model_id."),
        }),
      )
      .output(aliasRecordSchema)
      .mutation(async ({ ctx, input: { name, alias, ...wanted } }) => {
        await pointAlias(ctx, { name, alias }, wanted);
        return shownAlias(ctx, { name, alias });
      }),

    rollBackAlias: authed("models:write")
      .meta({
        openapi: {
          method: "POST",
          path: `${ALIAS}/rollback`,
          summary: "Roll Back Alias",
          description:
            "Points the alias to what it pointed to before its latest move. Asked twice, it is where it was.",
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(z.strictObject(aliasPath))
      .output(aliasRecordSchema)
      .mutation(async ({ ctx, input }) => {
        await rollBackAlias(ctx, input);
        return shownAlias(ctx, input);
      }),

    deleteAlias: authed("models:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: ALIAS,
          summary: "Delete Alias",
          description:
            "The model stays; other aliases that follow this one are 409, and so are serving endpoints that name it.",
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(z.strictObject(aliasPath))
      .output(
        z.object({
          id: z.string().describe("As it is written: `name@alias`."),
          deleted: z.boolean(),
        }),
      )
      .mutation(async ({ ctx, input }) => {
        await removeAlias(ctx, users, input);
        return { id: aliasReference(input.name, input.alias), deleted: true };
      }),
  });
