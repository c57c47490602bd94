/** Catalogs: create, list, get, patch, delete. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { entityTag } from "../../api/masks/etag.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken, camelPageQuery } from "../../api/paging/page-token.ts";
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
  deleteMembers,
  deletePlaces,
  etagHeader,
  nothing,
  patchMembers,
  patchPlaces,
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
          query: ["catalogId"],
          body: "catalog",
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
        z.strictObject({
          ...workspacePath,
          catalogId: segmentId.optional(),
          catalog: catalogRequest.prefault({}),
        }),
      )
      .output(catalogSchema)
      .mutation(async ({ ctx, input: { workspace_id, catalogId, catalog } }) => {
        const row = await createCatalog(ctx, workspace_id, catalogId, catalog);
        return shown(ctx.setHeader, workspace_id, row);
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
      .input(z.strictObject({ ...workspacePath, ...camelPageQuery }))
      .output(z.object({ catalogs: z.array(catalogSchema), nextPageToken: camelNextPageToken }))
      .query(async ({ ctx, input: { workspace_id, ...asked } }) => {
        const page = await listCatalogs(ctx, workspace_id, asked);
        const catalogs = page.entries.map((row) => toCatalog(workspace_id, row));
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
      .input(z.strictObject(catalogPath))
      .output(catalogSchema)
      .query(async ({ ctx, input: { workspace_id, catalog_id } }) => {
        const row = await getCatalog(ctx, workspace_id, catalog_id);
        return shown(ctx.setHeader, workspace_id, row);
      }),

    patch: authed("workspace:write")
      .meta({
        openapi: {
          method: "PATCH",
          path: ITEM,
          ...patchPlaces,
          body: "catalog",
          summary: "Update Catalog",
          description: "A PATCH that changes nothing leaves revision and times as they are.",
          tags,
          errors: ["not-found", "conflict", "precondition-failed"],
          responseHeaders: etagHeader,
        },
      })
      .input(
        z.strictObject({
          ...catalogPath,
          ...patchMembers,
          catalog: patchBody("CatalogRequest"),
        }),
      )
      .output(catalogSchema)
      .mutation(async ({ ctx, input: { workspace_id, catalog_id, catalog, ...patch } }) => {
        const request = { ...patch, body: catalog };
        const row = await patchCatalog(ctx, workspace_id, catalog_id, request);
        return shown(ctx.setHeader, workspace_id, row);
      }),

    delete: authed("workspace:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: ITEM,
          ...deletePlaces,
          summary: "Delete Catalog",
          tags,
          errors: ["not-found", "conflict", "precondition-failed"],
        },
      })
      .input(z.strictObject({ ...catalogPath, ...deleteMembers }))
      .output(nothing)
      .mutation(async ({ ctx, input: { workspace_id, catalog_id, ...how } }) => {
        await deleteCatalog(ctx, tablesWithin, workspace_id, catalog_id, how);
        return {};
      }),
  });
