/** Catalogs: create, list, get, patch, delete. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { entityTag } from "../../api/masks/etag.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken } from "../../api/paging/page-token.ts";
import type { CatalogRow } from "./catalog-store.ts";
import {
  createCatalog,
  deleteCatalog,
  getCatalog,
  listCatalogs,
  patchCatalog,
} from "./catalogs.ts";
import type { TablesWithin } from "./change.ts";
import { segmentId } from "./names.ts";
import {
  catalogPath,
  deleteQuery,
  etagHeader,
  matchHeader,
  nothing,
  pageQuery,
  patchQuery,
  workspacePath,
} from "./parts.ts";
import { catalogRequest, catalogSchema, toCatalog } from "./record.ts";

const tags = ["Catalogs"];
const COLLECTION = "/v1/workspaces/{workspace_id}/catalogs";
const ITEM = `${COLLECTION}/{catalog_id}` as const;

type SetHeader = (name: string, value: string) => void;

function shown(setHeader: SetHeader, workspace: string, row: CatalogRow) {
  setHeader("etag", entityTag(String(row.revision)));
  return toCatalog(workspace, row);
}

export const catalogsRouter = (tablesWithin: TablesWithin) =>
  router({
    create: authed("workspace:write")
      .meta({
        openapi: {
          method: "POST",
          path: COLLECTION,
          summary: "Create Catalog",
          description:
            "Its id comes from catalogId, or from the body's name. With `relational` its schemas are " +
            "those of a warehouse's catalog, and cannot be created here. A catalog named main, system " +
            "or temp can be kept but not queried: the SQL engine has catalogs of its own of these names.",
          tags,
          creates: true,
          errors: ["not-found", "conflict"],
          responseHeaders: etagHeader,
        },
      })
      .input(
        z.object({
          path: workspacePath,
          query: z.strictObject({ catalogId: segmentId.optional() }),
          body: catalogRequest.prefault({}),
        }),
      )
      .output(catalogSchema)
      .mutation(async ({ ctx, input: { path, query, body } }) => {
        const row = await createCatalog(ctx, path.workspace_id, query.catalogId, body);
        return shown(ctx.setHeader, path.workspace_id, row);
      }),

    list: authed("workspace:read")
      .meta({
        openapi: {
          method: "GET",
          path: COLLECTION,
          summary: "List Catalogs",
          description: "In the order of their names.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(z.object({ path: workspacePath, query: pageQuery }))
      .output(z.object({ catalogs: z.array(catalogSchema), nextPageToken: camelNextPageToken }))
      .query(async ({ ctx, input: { path, query } }) => {
        const page = await listCatalogs(ctx, path.workspace_id, query);
        const catalogs = page.entries.map((row) => toCatalog(path.workspace_id, row));
        return { catalogs, nextPageToken: page.nextPageToken };
      }),

    get: authed("workspace:read")
      .meta({
        openapi: {
          method: "GET",
          path: ITEM,
          summary: "Get Catalog",
          tags,
          errors: ["not-found"],
          responseHeaders: etagHeader,
        },
      })
      .input(z.object({ path: catalogPath }))
      .output(catalogSchema)
      .query(async ({ ctx, input: { path } }) => {
        const row = await getCatalog(ctx, path.workspace_id, path.catalog_id);
        return shown(ctx.setHeader, path.workspace_id, row);
      }),

    patch: authed("workspace:write")
      .meta({
        openapi: {
          method: "PATCH",
          path: ITEM,
          summary: "Update Catalog",
          description: "A PATCH that changes nothing leaves revision and times as they are.",
          tags,
          errors: ["not-found", "conflict", "precondition-failed"],
          responseHeaders: etagHeader,
        },
      })
      .input(
        z.object({
          path: catalogPath,
          query: patchQuery,
          header: matchHeader,
          body: patchBody("CatalogRequest"),
        }),
      )
      .output(catalogSchema)
      .mutation(async ({ ctx, input: { path, query, header, body } }) => {
        const request = { ...query, body, ifMatch: header["if-match"] };
        const row = await patchCatalog(ctx, path.workspace_id, path.catalog_id, request);
        return shown(ctx.setHeader, path.workspace_id, row);
      }),

    delete: authed("workspace:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: ITEM,
          summary: "Delete Catalog",
          tags,
          errors: ["not-found", "conflict", "precondition-failed"],
        },
      })
      .input(z.object({ path: catalogPath, query: deleteQuery, header: matchHeader }))
      .output(nothing)
      .mutation(async ({ ctx, input: { path, query, header } }) => {
        await deleteCatalog(ctx, tablesWithin, path.workspace_id, path.catalog_id, {
          force: query.force,
          ifMatch: header["if-match"],
        });
        return {};
      }),
  });
