/** Catalogs: what they are, and their operations; `owned.ts` tells what each does. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken, camelPageQuery } from "../../api/paging/page-token.ts";
import { type CatalogRow, catalogStore, schemaStore } from "./catalog-store.ts";
import { catalogName, segmentId } from "./names.ts";
import { owned } from "./owned.ts";
import type { Within } from "./owned-store.ts";
import {
  catalogPath,
  deleteParentMembers,
  nothing,
  patchMembers,
  revisedOperations,
  workspacePath,
} from "./parts.ts";
import { catalogFields, catalogRequest, catalogSchema, toCatalog } from "./record.ts";
import { readingFromWarehouse } from "./source.ts";
import { findWorkspaceRow } from "./store.ts";

interface WorkspacePath {
  readonly workspace_id: string;
}

type Catalog = z.output<typeof catalogSchema>;

/** @param tablesWithin those of a catalog, from the room of tables above */
export const catalogsOf = (tablesWithin: Within) =>
  owned<WorkspacePath, CatalogRow, z.output<typeof catalogRequest>, Catalog>({
    ...readingFromWarehouse("catalog", "schema"),
    parentKind: "workspace",
    store: catalogStore,
    form: catalogRequest,
    fields: catalogFields,
    keyOf: () => ({}),
    fullName: ({ workspace_id }, name) => catalogName(workspace_id, name),
    titleOf: (_parents, name) => `catalog '${name}'`,
    show: ({ workspace_id }, row) => toCatalog(workspace_id, row),
    async findParent({ services, auth }, { workspace_id }) {
      const workspace = await findWorkspaceRow(services.db, auth.organizationId);
      return workspace?.name === workspace_id ? { source: null } : null;
    },
    // The workspace is found and locked for every change.
    assertOwner: async () => undefined,
    children: {
      kind: "schema",
      async within({ sql, organizationId }, _parents, catalog) {
        const schemas = await schemaStore.within(sql, organizationId, { catalog });
        const tables = await tablesWithin(sql, organizationId, { catalog });
        return { count: schemas.count, highest: Math.max(schemas.highest, tables.highest) };
      },
    },
  });

const says = revisedOperations(
  {
    collection: "/v1/workspaces/{workspace_id}/catalogs",
    parameter: "catalog_id",
    title: "Catalog",
    tags: ["Catalogs"],
  },
  "catalog",
);

export const catalogsRouter = (tablesWithin: Within) => {
  const catalogs = catalogsOf(tablesWithin);
  return router({
    create: authed("workspace:write")
      .meta(
        says.create({
          query: ["catalogId"],
          description:
            "Its id comes from catalogId, or from the body's name. With `relational` its schemas are " +
            "those of a warehouse's catalog, and cannot be created here. A catalog named main, system " +
            "or temp can be kept but not queried: the SQL engine has catalogs of its own of these names.",
          errors: ["not-found", "conflict"],
        }),
      )
      .input(
        z.strictObject({
          ...workspacePath,
          catalogId: segmentId.optional(),
          catalog: catalogRequest.prefault({}),
        }),
      )
      .output(catalogSchema)
      .mutation(({ ctx, input: { catalogId, catalog, ...workspace } }) =>
        catalogs.create(ctx, workspace, catalogId, catalog),
      ),

    list: authed("workspace:read")
      .meta(says.list({ description: "In the order of their names.", errors: ["not-found"] }))
      .input(z.strictObject({ ...workspacePath, ...camelPageQuery }))
      .output(z.object({ catalogs: z.array(catalogSchema), nextPageToken: camelNextPageToken }))
      .query(async ({ ctx, input: { workspace_id, ...page } }) => {
        const { entries, nextPageToken } = await catalogs.list(ctx, { workspace_id }, page);
        return { catalogs: entries, nextPageToken };
      }),

    get: authed("workspace:read")
      .meta(says.get())
      .input(z.strictObject(catalogPath))
      .output(catalogSchema)
      .query(({ ctx, input: { catalog_id, ...workspace } }) =>
        catalogs.get(ctx, workspace, catalog_id),
      ),

    patch: authed("workspace:write")
      .meta(says.patch())
      .input(
        z.strictObject({ ...catalogPath, ...patchMembers, catalog: patchBody("CatalogRequest") }),
      )
      .output(catalogSchema)
      .mutation(({ ctx, input: { workspace_id, catalog_id, catalog: body, ...request } }) =>
        catalogs.patch(ctx, { workspace_id }, catalog_id, { ...request, body }),
      ),

    delete: authed("workspace:write")
      .meta(says.delete())
      .input(z.strictObject({ ...catalogPath, ...deleteParentMembers }))
      .output(nothing)
      .mutation(async ({ ctx, input: { workspace_id, catalog_id, ...request } }) => {
        await catalogs.delete(ctx, { workspace_id }, catalog_id, request);
        return {};
      }),
  });
};
