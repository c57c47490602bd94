/** The table as the API takes and shows it. */

import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { z } from "zod";
import { int64Text } from "../../api/http/bodies/int64.ts";
import { maskOf } from "../../api/masks/mask-of.ts";
import { optionalName, TABLE_NAME, tableName } from "../workspaces/names.ts";
import { OUTPUT_ONLY, sentRevision, sentTimes } from "../workspaces/record.ts";
import type { SchemaSource } from "../workspaces/service.ts";
import { type TableSpec, tableSpecRequest } from "./spec.ts";
import type { TableRow } from "./store.ts";

export const tableRequest = z
  .strictObject({
    name: optionalName(TABLE_NAME),
    spec: tableSpecRequest,
    ...sentTimes,
    revision: sentRevision,
    revisionHash: z.string().default("").describe("Set by the service; ignored in a request."),
  })
  .meta({ id: "TableRequest" });

export const tableFields = maskOf(tableRequest, {
  outputOnly: [...OUTPUT_ONLY, "revisionHash"],
  oneOf: tableSpecRequest,
});

const arrowIpcSchema = z.object({ ipcMessage: z.string() }).meta({ id: "ArrowIpcSchema" });

const tableSpecSchema = z
  .object({
    relational: z
      .object({
        connector: z.string(),
        sourceCatalog: z.string(),
        sourceSchema: z.string(),
        sourceTable: z.string(),
        snapshot: z.object({ schema: arrowIpcSchema }).nullable(),
      })
      .nullable(),
    listing: z
      .object({
        connector: z.string(),
        tablePaths: z.array(z.string()),
        snapshot: z
          .object({
            fileSchema: arrowIpcSchema.nullable(),
            options: z
              .object({
                fileType: z.string(),
                formatOptions: z.record(z.string(), z.string()),
                fileExtension: z.string(),
                tablePartitionSchema: arrowIpcSchema.nullable(),
                collectStat: z.boolean().nullable(),
                targetPartitions: int64Text.nullable(),
              })
              .nullable(),
          })
          .nullable(),
      })
      .nullable(),
  })
  .meta({ id: "TableSpec", description: "Exactly one of relational and listing is not null." });

export const tableSchema = z
  .object({
    name: z.string(),
    spec: tableSpecSchema,
    createTime: z.iso.datetime().nullable(),
    updateTime: z.iso.datetime().nullable(),
    revision: int64Text.describe("0 where it exists in the source only."),
    revisionHash: z
      .string()
      .describe("SHA-256, lowercase hex, of the RFC 8785 JSON of {spec} as it is shown."),
  })
  .meta({ id: "Table" });

export type Table = z.infer<typeof tableSchema>;

export function revisionHash(spec: TableSpec): string {
  const text = canonicalize({ spec });
  if (text === undefined) throw new TypeError("a table's definition is JSON");
  return createHash("sha256").update(text).digest("hex");
}

export const toTable = (workspace: string, row: TableRow): Table => ({
  name: tableName(workspace, row.catalog, row.schema, row.name),
  spec: row.spec,
  createTime: row.created_at.toISOString(),
  updateTime: row.updated_at.toISOString(),
  revision: String(row.revision),
  revisionHash: row.revision_hash,
});

/** The definition of a table that a relational schema's source has. */
export const specOfSource = (source: SchemaSource, table: string): TableSpec => ({
  relational: {
    connector: source.connector,
    sourceCatalog: source.sourceCatalog,
    sourceSchema: source.sourceSchema,
    sourceTable: table,
    snapshot: null,
  },
  listing: null,
});

/** A table that a relational schema's source has. @param schema the full name of its schema */
export function toSourceTable(schema: string, source: SchemaSource, table: string): Table {
  const spec = specOfSource(source, table);
  return {
    name: `${schema}/tables/${table}`,
    spec,
    createTime: null,
    updateTime: null,
    revision: "0",
    revisionHash: revisionHash(spec),
  };
}
