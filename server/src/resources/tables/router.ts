/** Tables: create, list, get, patch, delete. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken, camelPageQuery } from "../../api/paging/page-token.ts";
import { segmentId } from "../workspaces/names.ts";
import {
  deleteMembers,
  nothing,
  patchMembers,
  revisedOperations,
  SOURCE_FAILURES,
  schemaPath,
  tablePath,
} from "../workspaces/parts.ts";
import { tables } from "./operations.ts";
import { tableRequest, tableSchema } from "./record.ts";

const says = revisedOperations(
  {
    collection: "/v1/workspaces/{workspace_id}/catalogs/{catalog_id}/schemas/{schema_id}/tables",
    parameter: "table_id",
    title: "Table",
    tags: ["Tables"],
  },
  "table",
);

export const tablesRouter = router({
  create: authed("workspace:write")
    .meta(
      says.create({
        query: ["tableId"],
        description:
          "Its id comes from tableId, or from the body's name. Its connector must be there already.",
        errors: ["not-found", "conflict"],
      }),
    )
    .input(z.strictObject({ ...schemaPath, tableId: segmentId.optional(), table: tableRequest }))
    .output(tableSchema)
    .mutation(({ ctx, input: { tableId, table, ...schema } }) =>
      tables.create(ctx, schema, tableId, table),
    ),

  list: authed("workspace:read")
    .meta(
      says.list({
        description:
          "In the order of their names. Those of a relational schema are read from its source; " +
          "names that are not valid segments are left out.",
        errors: ["not-found", ...SOURCE_FAILURES],
      }),
    )
    .input(z.strictObject({ ...schemaPath, ...camelPageQuery }))
    .output(z.object({ tables: z.array(tableSchema), nextPageToken: camelNextPageToken }))
    .query(async ({ ctx, input: { pageSize, pageToken, ...schema } }) => {
      const page = await tables.list(ctx, schema, { pageSize, pageToken });
      return { tables: page.entries, nextPageToken: page.nextPageToken };
    }),

  get: authed("workspace:read")
    .meta(says.get({ errors: SOURCE_FAILURES }))
    .input(z.strictObject(tablePath))
    .output(tableSchema)
    .query(({ ctx, input: { table_id, ...schema } }) => tables.get(ctx, schema, table_id)),

  patch: authed("workspace:write")
    .meta(
      says.patch({
        description:
          "Setting one arm of spec clears the other. Without updateMask the body must hold a whole " +
          "spec, which replaces that of the table; under a mask it needs only what the mask names, " +
          "and the result must be a whole one. A PATCH that changes nothing leaves revision and " +
          "times as they are.",
      }),
    )
    .input(z.strictObject({ ...tablePath, ...patchMembers, table: patchBody("TableRequest") }))
    .output(tableSchema)
    .mutation(({ ctx, input }) => {
      const { table_id, table: body, updateMask, allowMissing, ifMatch, ...schema } = input;
      return tables.patch(ctx, schema, table_id, { body, updateMask, allowMissing, ifMatch });
    }),

  delete: authed("workspace:write")
    .meta(says.delete({ description: "The definition; the source's data stays." }))
    .input(z.strictObject({ ...tablePath, ...deleteMembers }))
    .output(nothing)
    .mutation(async ({ ctx, input: { table_id, ifMatch, ...schema } }) => {
      await tables.delete(ctx, schema, table_id, { ifMatch, force: false });
      return {};
    }),
});
