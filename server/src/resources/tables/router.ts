/** Tables: create, list, get, patch, delete. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { entityTag } from "../../api/masks/etag.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken } from "../../api/paging/page-token.ts";
import { segmentId } from "../workspaces/names.ts";
import {
  etagHeader,
  matchHeader,
  nothing,
  pageQuery,
  patchQuery,
  schemaPath,
  tablePath,
} from "../workspaces/parts.ts";
import { createTable, deleteTable, getTable, listTables, patchTable } from "./operations.ts";
import { tableRequest, tableSchema } from "./record.ts";

const tags = ["Tables"];
const COLLECTION = "/v1/workspaces/{workspace_id}/catalogs/{catalog_id}/schemas/{schema_id}/tables";
const ITEM = `${COLLECTION}/{table_id}` as const;

/** What reading the source of a relational parent can answer with. */
const SOURCE_FAILURES = ["bad-gateway", "gateway-timeout"] as const;

const schemaOf = (path: z.infer<typeof schemaPath>) => ({
  catalog: path.catalog_id,
  schema: path.schema_id,
});
const tableOf = (path: z.infer<typeof tablePath>) => ({ ...schemaOf(path), table: path.table_id });

export const tablesRouter = router({
  create: authed("workspace:write")
    .meta({
      openapi: {
        method: "POST",
        path: COLLECTION,
        summary: "Create Table",
        description:
          "Its id comes from tableId, or from the body's name. Its connector must be there already.",
        tags,
        creates: true,
        errors: ["not-found", "conflict"],
        responseHeaders: etagHeader,
      },
    })
    .input(
      z.object({
        path: schemaPath,
        query: z.strictObject({ tableId: segmentId.optional() }),
        body: tableRequest,
      }),
    )
    .output(tableSchema)
    .mutation(async ({ ctx, input: { path, query, body } }) => {
      const table = await createTable(ctx, path.workspace_id, schemaOf(path), query.tableId, body);
      ctx.setHeader("etag", entityTag(table.revisionHash));
      return table;
    }),

  list: authed("workspace:read")
    .meta({
      openapi: {
        method: "GET",
        path: COLLECTION,
        summary: "List Tables",
        description:
          "In the order of their names. Those of a relational schema are read from its source; " +
          "names that are no segments here are left out.",
        tags,
        errors: ["not-found", ...SOURCE_FAILURES],
      },
    })
    .input(z.object({ path: schemaPath, query: pageQuery }))
    .output(z.object({ tables: z.array(tableSchema), nextPageToken: camelNextPageToken }))
    .query(({ ctx, input: { path, query } }) =>
      listTables(ctx, path.workspace_id, schemaOf(path), query),
    ),

  get: authed("workspace:read")
    .meta({
      openapi: {
        method: "GET",
        path: ITEM,
        summary: "Get Table",
        tags,
        errors: ["not-found", ...SOURCE_FAILURES],
        responseHeaders: etagHeader,
      },
    })
    .input(z.object({ path: tablePath }))
    .output(tableSchema)
    .query(async ({ ctx, input: { path } }) => {
      const table = await getTable(ctx, path.workspace_id, tableOf(path));
      ctx.setHeader("etag", entityTag(table.revisionHash));
      return table;
    }),

  patch: authed("workspace:write")
    .meta({
      openapi: {
        method: "PATCH",
        path: ITEM,
        summary: "Update Table",
        description:
          "Setting one arm of spec clears the other. Without updateMask the body must hold a whole " +
          "spec, which replaces that of the table; under a mask it needs only what the mask names, " +
          "and the result must be a whole one. A PATCH that changes nothing leaves revision and " +
          "times as they are.",
        tags,
        errors: ["not-found", "conflict", "precondition-failed"],
        responseHeaders: etagHeader,
      },
    })
    .input(
      z.object({
        path: tablePath,
        query: patchQuery,
        header: matchHeader,
        body: patchBody("TableRequest"),
      }),
    )
    .output(tableSchema)
    .mutation(async ({ ctx, input: { path, query, header, body } }) => {
      const request = { ...query, body, ifMatch: header["if-match"] };
      const table = await patchTable(ctx, path.workspace_id, tableOf(path), request);
      ctx.setHeader("etag", entityTag(table.revisionHash));
      return table;
    }),

  delete: authed("workspace:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: ITEM,
        summary: "Delete Table",
        description: "The definition; the source's data stays.",
        tags,
        errors: ["not-found", "conflict", "precondition-failed"],
      },
    })
    .input(z.object({ path: tablePath, header: matchHeader }))
    .output(nothing)
    .mutation(async ({ ctx, input: { path, header } }) => {
      await deleteTable(ctx, path.workspace_id, tableOf(path), header["if-match"]);
      return {};
    }),
});
