/** Tables: create, list, get, patch, delete. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { entityTag, IF_MATCH, ifMatch } from "../../api/masks/etag.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken, camelPageQuery } from "../../api/paging/page-token.ts";
import { segmentId } from "../workspaces/names.ts";
import {
  etagHeader,
  nothing,
  patchMembers,
  patchPlaces,
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

interface SchemaPath {
  readonly catalog_id: string;
  readonly schema_id: string;
}
interface TablePath extends SchemaPath {
  readonly table_id: string;
}

const schemaOf = (path: SchemaPath) => ({ catalog: path.catalog_id, schema: path.schema_id });
const tableOf = (path: TablePath) => ({ ...schemaOf(path), table: path.table_id });

export const tablesRouter = router({
  create: authed("workspace:write")
    .meta({
      openapi: {
        method: "POST",
        path: COLLECTION,
        query: ["tableId"],
        body: "table",
        summary: "Create Table",
        description:
          "Its id comes from tableId, or from the body's name. Its connector must be there already.",
        tags,
        creates: true,
        errors: ["not-found", "conflict"],
        responseHeaders: etagHeader,
      },
    })
    .input(z.strictObject({ ...schemaPath, tableId: segmentId.optional(), table: tableRequest }))
    .output(tableSchema)
    .mutation(async ({ ctx, input }) => {
      const { workspace_id, tableId, table: request } = input;
      const table = await createTable(ctx, workspace_id, schemaOf(input), tableId, request);
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
    .input(z.strictObject({ ...schemaPath, ...camelPageQuery }))
    .output(z.object({ tables: z.array(tableSchema), nextPageToken: camelNextPageToken }))
    .query(({ ctx, input: { pageSize, pageToken, ...path } }) =>
      listTables(ctx, path.workspace_id, schemaOf(path), { pageSize, pageToken }),
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
    .input(z.strictObject(tablePath))
    .output(tableSchema)
    .query(async ({ ctx, input: path }) => {
      const table = await getTable(ctx, path.workspace_id, tableOf(path));
      ctx.setHeader("etag", entityTag(table.revisionHash));
      return table;
    }),

  patch: authed("workspace:write")
    .meta({
      openapi: {
        method: "PATCH",
        path: ITEM,
        ...patchPlaces,
        body: "table",
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
    .input(z.strictObject({ ...tablePath, ...patchMembers, table: patchBody("TableRequest") }))
    .output(tableSchema)
    .mutation(async ({ ctx, input }) => {
      const { updateMask, allowMissing, ifMatch, table: body } = input;
      const request = { updateMask, allowMissing, ifMatch, body };
      const table = await patchTable(ctx, input.workspace_id, tableOf(input), request);
      ctx.setHeader("etag", entityTag(table.revisionHash));
      return table;
    }),

  delete: authed("workspace:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: ITEM,
        headers: IF_MATCH,
        summary: "Delete Table",
        description: "The definition; the source's data stays.",
        tags,
        errors: ["not-found", "conflict", "precondition-failed"],
      },
    })
    .input(z.strictObject({ ...tablePath, ifMatch }))
    .output(nothing)
    .mutation(async ({ ctx, input }) => {
      await deleteTable(ctx, input.workspace_id, tableOf(input), input.ifMatch);
      return {};
    }),
});
