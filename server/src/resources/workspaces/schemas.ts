/** Schemas: what they are, and their operations; `owned.ts` tells what each does. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { camelNextPageToken, camelPageQuery } from "../../api/paging/page-token.ts";
import { notFound } from "../../platform/input/problem.ts";
import { catalogStore, type SchemaRow, schemaStore } from "./catalog-store.ts";
import { schemaName, segmentId } from "./names.ts";
import { owned } from "./owned.ts";
import type { Within } from "./owned-store.ts";
import {
  catalogPath,
  deleteParentMembers,
  nothing,
  patchMembers,
  revisedOperations,
  SOURCE_FAILURES,
  schemaPath,
} from "./parts.ts";
import { schemaFields, schemaRequest, schemaSchema, toSchema, toSourceSchema } from "./record.ts";
import { readingFromWarehouse, readOnly, sourceSchemas } from "./source.ts";

interface CatalogPath {
  readonly workspace_id: string;
  readonly catalog_id: string;
}

type Schema = z.output<typeof schemaSchema>;

/** @param tablesWithin those of a schema, from the room of tables above */
export const schemasOf = (tablesWithin: Within) =>
  owned<CatalogPath, SchemaRow, z.output<typeof schemaRequest>, Schema>({
    ...readingFromWarehouse("schema", "table"),
    parentKind: "catalog",
    store: schemaStore,
    form: schemaRequest,
    fields: schemaFields,
    keyOf: ({ catalog_id }) => ({ catalog: catalog_id }),
    fullName: ({ workspace_id, catalog_id }, name) => schemaName(workspace_id, catalog_id, name),
    titleOf: ({ catalog_id }, name) => `schema '${name}' in the catalog '${catalog_id}'`,
    show: ({ workspace_id }, row) => toSchema(workspace_id, row),
    async findParent(ctx, { workspace_id, catalog_id }) {
      const { services, auth } = ctx;
      const { organizationId } = auth;
      const row = await catalogStore.find(
        services.db,
        organizationId,
        workspace_id,
        {},
        catalog_id,
      );
      if (row === null) return null;
      const { relational } = row;
      if (relational === null) return { source: null };
      return {
        source: {
          names: () => sourceSchemas(ctx, relational),
          show: (name) => toSourceSchema(workspace_id, catalog_id, name, relational),
        },
      };
    },
    async assertOwner({ sql, organizationId }, { catalog_id }) {
      const row = await catalogStore.read(sql, organizationId, {}, catalog_id);
      if (row === null) throw notFound("catalog");
      if (row.relational !== null) {
        throw readOnly("catalog", catalog_id, row.relational, "schemas");
      }
    },
    children: {
      kind: "table",
      within: ({ sql, organizationId }, { catalog_id }, schema) =>
        tablesWithin(sql, organizationId, { catalog: catalog_id, schema }),
    },
  });

const says = revisedOperations(
  {
    collection: "/v1/workspaces/{workspace_id}/catalogs/{catalog_id}/schemas",
    parameter: "schema_id",
    title: "Schema",
    tags: ["Schemas"],
  },
  "schema",
);

export const schemasRouter = (tablesWithin: Within) => {
  const schemas = schemasOf(tablesWithin);
  return router({
    create: authed("workspace:write")
      .meta(
        says.create({
          query: ["schemaId"],
          description:
            "Its id comes from schemaId, or from the body's name. With `relational` its tables are " +
            "those of a warehouse's schema, and cannot be created here.",
          errors: ["not-found", "conflict"],
        }),
      )
      .input(
        z.strictObject({
          ...catalogPath,
          schemaId: segmentId.optional(),
          schema: schemaRequest.prefault({}),
        }),
      )
      .output(schemaSchema)
      .mutation(({ ctx, input: { schemaId, schema, ...catalog } }) =>
        schemas.create(ctx, catalog, schemaId, schema),
      ),

    list: authed("workspace:read")
      .meta(
        says.list({
          description:
            "In the order of their names. Those of a relational catalog are read from its source; " +
            "names that are not valid segments are left out.",
          errors: ["not-found", ...SOURCE_FAILURES],
        }),
      )
      .input(z.strictObject({ ...catalogPath, ...camelPageQuery }))
      .output(z.object({ schemas: z.array(schemaSchema), nextPageToken: camelNextPageToken }))
      .query(async ({ ctx, input: { pageSize, pageToken, ...catalog } }) => {
        const page = await schemas.list(ctx, catalog, { pageSize, pageToken });
        return { schemas: page.entries, nextPageToken: page.nextPageToken };
      }),

    get: authed("workspace:read")
      .meta(says.get({ errors: SOURCE_FAILURES }))
      .input(z.strictObject(schemaPath))
      .output(schemaSchema)
      .query(({ ctx, input: { schema_id, ...catalog } }) => schemas.get(ctx, catalog, schema_id)),

    patch: authed("workspace:write")
      .meta(says.patch())
      .input(z.strictObject({ ...schemaPath, ...patchMembers, schema: patchBody("SchemaRequest") }))
      .output(schemaSchema)
      .mutation(({ ctx, input }) => {
        const { workspace_id, catalog_id, schema_id, schema: body, ...request } = input;
        const catalog = { workspace_id, catalog_id };
        return schemas.patch(ctx, catalog, schema_id, { ...request, body });
      }),

    delete: authed("workspace:write")
      .meta(says.delete())
      .input(z.strictObject({ ...schemaPath, ...deleteParentMembers }))
      .output(nothing)
      .mutation(async ({ ctx, input: { schema_id, force, ifMatch, ...catalog } }) => {
        await schemas.delete(ctx, catalog, schema_id, { force, ifMatch });
        return {};
      }),
  });
};
