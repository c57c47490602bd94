/** Schemas: create, list, get, patch, delete. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { entityTag } from "../../api/masks/etag.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken, camelPageQuery } from "../../api/paging/page-token.ts";
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
  schemaPath,
} from "./parts.ts";
import { schemaRequest, schemaSchema } from "./record.ts";
import { createSchema, deleteSchema, getSchema, listSchemas, patchSchema } from "./schemas.ts";

const tags = ["Schemas"];
const COLLECTION = "/v1/workspaces/{workspace_id}/catalogs/{catalog_id}/schemas";
const ITEM = `${COLLECTION}/{schema_id}` as const;

/** What reading the source of a relational parent can answer with. */
const SOURCE_FAILURES = ["bad-gateway", "gateway-timeout"] as const;

export const schemasRouter = (tablesWithin: TablesWithin) =>
  router({
    create: authed("workspace:write")
      .meta({
        openapi: {
          method: "POST",
          path: COLLECTION,
          query: ["schemaId"],
          body: "schema",
          summary: "Create Schema",
          description:
            "Its id comes from schemaId, or from the body's name. With `relational` its tables are " +
            "those of a warehouse's schema, and cannot be created here.",
          tags,
          creates: true,
          errors: ["not-found", "conflict"],
          responseHeaders: etagHeader,
        },
      })
      .input(
        z.strictObject({
          ...catalogPath,
          schemaId: segmentId.optional(),
          schema: schemaRequest.prefault({}),
        }),
      )
      .output(schemaSchema)
      .mutation(async ({ ctx, input }) => {
        const { workspace_id, catalog_id, schemaId, schema: request } = input;
        const schema = await createSchema(ctx, workspace_id, catalog_id, schemaId, request);
        ctx.setHeader("etag", entityTag(schema.revision));
        return schema;
      }),

    list: authed("workspace:read")
      .meta({
        openapi: {
          method: "GET",
          path: COLLECTION,
          summary: "List Schemas",
          description:
            "In the order of their names. Those of a relational catalog are read from its source; " +
            "names that are no segments here are left out.",
          tags,
          errors: ["not-found", ...SOURCE_FAILURES],
        },
      })
      .input(z.strictObject({ ...catalogPath, ...camelPageQuery }))
      .output(z.object({ schemas: z.array(schemaSchema), nextPageToken: camelNextPageToken }))
      .query(({ ctx, input: { workspace_id, catalog_id, ...asked } }) =>
        listSchemas(ctx, workspace_id, catalog_id, asked),
      ),

    get: authed("workspace:read")
      .meta({
        openapi: {
          method: "GET",
          path: ITEM,
          summary: "Get Schema",
          tags,
          errors: ["not-found", ...SOURCE_FAILURES],
          responseHeaders: etagHeader,
        },
      })
      .input(z.strictObject(schemaPath))
      .output(schemaSchema)
      .query(async ({ ctx, input: { workspace_id, catalog_id, schema_id } }) => {
        const schema = await getSchema(ctx, workspace_id, catalog_id, schema_id);
        ctx.setHeader("etag", entityTag(schema.revision));
        return schema;
      }),

    patch: authed("workspace:write")
      .meta({
        openapi: {
          method: "PATCH",
          path: ITEM,
          ...patchPlaces,
          body: "schema",
          summary: "Update Schema",
          description: "A PATCH that changes nothing leaves revision and times as they are.",
          tags,
          errors: ["not-found", "conflict", "precondition-failed"],
          responseHeaders: etagHeader,
        },
      })
      .input(
        z.strictObject({
          ...schemaPath,
          ...patchMembers,
          schema: patchBody("SchemaRequest"),
        }),
      )
      .output(schemaSchema)
      .mutation(async ({ ctx, input }) => {
        const { workspace_id, catalog_id, schema_id, schema: body, ...patch } = input;
        const schema = await patchSchema(ctx, tablesWithin, workspace_id, catalog_id, schema_id, {
          ...patch,
          body,
        });
        ctx.setHeader("etag", entityTag(schema.revision));
        return schema;
      }),

    delete: authed("workspace:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: ITEM,
          ...deletePlaces,
          summary: "Delete Schema",
          tags,
          errors: ["not-found", "conflict", "precondition-failed"],
        },
      })
      .input(z.strictObject({ ...schemaPath, ...deleteMembers }))
      .output(nothing)
      .mutation(async ({ ctx, input }) => {
        const { workspace_id, catalog_id, schema_id, ...how } = input;
        await deleteSchema(ctx, tablesWithin, workspace_id, catalog_id, schema_id, how);
        return {};
      }),
  });
