/** Workspaces, catalogs and schemas as the API takes and shows them. */

import { z } from "zod";
import { int64, int64Text } from "../../api/http/bodies/int64.ts";
import { maskOf } from "../../api/masks/mask-of.ts";
import type { CatalogRow, CatalogSource, SchemaRow, SchemaSource } from "./catalog-store.ts";
import {
  CATALOG_NAME,
  catalogName,
  connectorRef,
  emptyOr,
  optionalName,
  SCHEMA_NAME,
  SEGMENT_ID,
  schemaName,
  WORKSPACE_NAME,
  workspaceName,
} from "./names.ts";
import type { WorkspaceRow } from "./store.ts";

/** Set by the service; a request may send back what it was shown. */
const sentTime = z.iso.datetime({ offset: true, local: true }).meta({
  description: "Set by the service; ignored in a request.",
});

/** The members that a request may send of what the service sets. */
export const sentTimes = {
  createTime: sentTime.nullish(),
  updateTime: sentTime.nullish(),
};

/** What a mask may name, to no effect. */
export const OUTPUT_ONLY = ["name", "revision", "createTime", "updateTime"] as const;

/** The precondition of a write. */
export const sentRevision = int64({ ge: 0 })
  .default("0")
  .describe("0 = write unconditionally; else the revision that the resource must have, or 409.");

const sqlDefaultsRequest = z.strictObject({
  defaultCatalog: emptyOr(SEGMENT_ID),
  defaultSchema: emptyOr(SEGMENT_ID),
});

export const workspaceRequest = z
  .strictObject({
    name: optionalName(WORKSPACE_NAME).describe("Empty = workspaces/default."),
    sqlDefaults: sqlDefaultsRequest.prefault({}),
    revision: sentRevision,
    createTime: sentTime.optional(),
    updateTime: sentTime.optional(),
  })
  .meta({ id: "WorkspaceRequest" });

export const workspaceSchema = z
  .object({
    name: z.string(),
    sqlDefaults: z.object({
      defaultCatalog: z.string().describe("Empty where there is none."),
      defaultSchema: z.string().describe("Empty where there is none."),
    }),
    revision: int64Text.describe("Advanced by every change of the defaults or of what it owns."),
    createTime: z.iso.datetime(),
    updateTime: z.iso.datetime(),
  })
  .meta({ id: "Workspace" });

export const workspaceFields = maskOf(workspaceRequest, { outputOnly: OUTPUT_ONLY });

const catalogSourceRequest = z.strictObject({
  connector: connectorRef,
  sourceCatalog: z.string().min(1),
});

const schemaSourceRequest = z.strictObject({
  connector: connectorRef,
  sourceCatalog: z.string().min(1),
  sourceSchema: z.string().min(1),
});

export const catalogRequest = z
  .strictObject({
    name: optionalName(CATALOG_NAME),
    relational: catalogSourceRequest.nullable().default(null),
    revision: sentRevision,
    ...sentTimes,
  })
  .meta({ id: "CatalogRequest" });

export const schemaRequest = z
  .strictObject({
    name: optionalName(SCHEMA_NAME),
    relational: schemaSourceRequest.nullable().default(null),
    revision: sentRevision,
    ...sentTimes,
  })
  .meta({ id: "SchemaRequest" });

/** What catalogs and schemas show of what the service sets. */
const childState = {
  revision: int64Text.describe("0 where it exists in the source only."),
  createTime: z.iso.datetime().nullable(),
  updateTime: z.iso.datetime().nullable(),
};

export const catalogSchema = z
  .object({
    name: z.string(),
    relational: z
      .object({ connector: z.string(), sourceCatalog: z.string() })
      .nullable()
      .describe("The warehouse catalog whose schemas it shows; null = it owns its own schemas."),
    ...childState,
  })
  .meta({ id: "Catalog" });

export const schemaSchema = z
  .object({
    name: z.string(),
    relational: z
      .object({ connector: z.string(), sourceCatalog: z.string(), sourceSchema: z.string() })
      .nullable()
      .describe("The warehouse schema whose tables it shows; null = it owns its own tables."),
    ...childState,
  })
  .meta({ id: "Schema" });

export const catalogFields = maskOf(catalogRequest, { outputOnly: OUTPUT_ONLY });
export const schemaFields = maskOf(schemaRequest, { outputOnly: OUTPUT_ONLY });

export const toWorkspace = (row: WorkspaceRow): z.infer<typeof workspaceSchema> => ({
  name: workspaceName(row.name),
  sqlDefaults: { defaultCatalog: row.default_catalog, defaultSchema: row.default_schema },
  revision: String(row.revision),
  createTime: row.created_at.toISOString(),
  updateTime: row.updated_at.toISOString(),
});

export const toCatalog = (workspace: string, row: CatalogRow): z.infer<typeof catalogSchema> => ({
  name: catalogName(workspace, row.name),
  relational: row.relational,
  ...stateOf(row),
});

export const toSchema = (workspace: string, row: SchemaRow): z.infer<typeof schemaSchema> => ({
  name: schemaName(workspace, row.catalog, row.name),
  relational: row.relational,
  ...stateOf(row),
});

const stateOf = (row: CatalogRow | SchemaRow) => ({
  revision: String(row.revision),
  createTime: row.created_at.toISOString(),
  updateTime: row.updated_at.toISOString(),
});

/** A schema that its relational catalog's source has. */
export const toSourceSchema = (
  workspace: string,
  catalog: string,
  name: string,
  source: CatalogSource,
): z.infer<typeof schemaSchema> => ({
  name: schemaName(workspace, catalog, name),
  relational: schemaOfSource(source, name),
  revision: "0",
  createTime: null,
  updateTime: null,
});

/** The source's schema that a schema of a relational catalog stands for: the one of its name. */
export const schemaOfSource = (source: CatalogSource, schema: string): SchemaSource => ({
  connector: source.connector,
  sourceCatalog: source.sourceCatalog,
  sourceSchema: schema,
});
